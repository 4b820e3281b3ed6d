"""Feeds: find, list, add, change, schedule results, history."""
