"""What people do with rules, channels and alerts."""
