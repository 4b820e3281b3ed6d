"""The JSON API, metrics and health."""
