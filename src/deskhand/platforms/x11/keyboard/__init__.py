"""The keyboard of an X screen: layouts read, keys pressed, and characters put on spare keys."""
