"""Readers for paged sites, one file a site."""
