"""What things are: plain values that every floor shares. Imports nothing of deskhand."""
