"""Selectors: CSS selectors that describe a site's listing pages, so that no code is needed to follow it."""
