"""People: their accounts and secrets, and the data that they store: marks, labels, hidden feeds, saved searches."""
