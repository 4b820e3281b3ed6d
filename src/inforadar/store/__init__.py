"""The memory: the only SQL and Redis."""
