"""Drives the faces: the served application, the terminal, the browser."""
