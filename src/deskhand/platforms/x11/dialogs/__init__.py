"""A question in a window of our own."""
