"""Reading text aloud: espeak-ng where it is installed, else the speech service of the session."""
