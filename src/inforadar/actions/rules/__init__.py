"""Actions on rules, channels and alerts."""
