"""A desktop of our own: X server, window manager and buses, started and ended with the server."""
