"""Driving the faces: a served application, a terminal, a browser."""
