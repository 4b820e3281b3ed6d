"""Sitemaps: the state of their pages and of the files that list them."""
