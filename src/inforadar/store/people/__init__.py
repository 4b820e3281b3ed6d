"""Data that readers store: their marks."""
