"""TOON, the text form of the axi surface's replies."""

from deskhand.surfaces.axi.toon.encoder import encode

__all__ = ["encode"]
