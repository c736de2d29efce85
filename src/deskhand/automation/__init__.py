"""Acting later, or again: what strings acts together and plays them."""
