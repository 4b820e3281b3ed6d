"""Feeds: find, list, add, change, save fetch results, history."""
