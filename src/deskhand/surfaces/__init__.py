"""What agents see: sets of tools over the same desk."""
