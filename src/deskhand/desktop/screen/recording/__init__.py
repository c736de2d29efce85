"""Films of the screen: what is looked at, how it becomes a file, and which are being made."""
