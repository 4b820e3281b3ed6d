"""Storage: the only package that talks SQL and Redis."""
