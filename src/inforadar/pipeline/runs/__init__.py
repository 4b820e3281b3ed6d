"""Runs over many feeds: the cycles of the worker, and the fetches that people request."""
