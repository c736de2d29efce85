"""Watching applications: what happens in them is kept for those who asked, until they read it."""
