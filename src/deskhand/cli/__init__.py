"""How people speak to deskhand."""
