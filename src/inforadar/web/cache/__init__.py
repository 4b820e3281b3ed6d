"""Answering many readers with few questions to the database."""
