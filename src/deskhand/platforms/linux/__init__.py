"""What X11 and Wayland desktops on Linux share: D-Bus, accessibility, desktop files, the state of the machine."""
