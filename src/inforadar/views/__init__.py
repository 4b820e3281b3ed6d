"""Data prepared for display, shared by all faces: items, feed health, run logs, JSON documents, times."""
