"""X11 desktops: XTEST for input, EWMH for windows, AT-SPI for what is in them."""
