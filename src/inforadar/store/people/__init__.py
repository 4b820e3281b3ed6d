"""What readers keep: their marks."""
