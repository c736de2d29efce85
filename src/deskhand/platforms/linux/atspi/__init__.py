"""Reading and acting on applications through AT-SPI, the accessibility protocol of Linux desktops."""
