"""Turns the bytes of a page into a measured tree."""
