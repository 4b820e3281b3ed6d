"""Collecting one feed: one `Collector` for each kind."""
