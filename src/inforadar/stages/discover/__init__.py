"""Discover: what a feed lists, by kind: `feed`, `sitemap`, `pages`."""
