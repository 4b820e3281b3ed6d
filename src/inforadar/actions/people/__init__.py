"""Accounts and their secrets: one module per kind of change."""
