"""Revisions: versions of articles, what changed between them, and the looks that find it."""
