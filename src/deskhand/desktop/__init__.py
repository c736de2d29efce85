"""Acting on the desktop now: what each ability means, on any platform."""
