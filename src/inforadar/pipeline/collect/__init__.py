"""Collecting one feed: a `Collector` for each kind."""
