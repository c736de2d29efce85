"""Pictures of the screen, and what their coordinates mean."""
