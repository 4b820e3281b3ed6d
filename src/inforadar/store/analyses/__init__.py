"""Analyses: the queue of items to analyze, results, cache and cost."""
