"""The polite engine: the only way out to the web."""
