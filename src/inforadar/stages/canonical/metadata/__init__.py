"""Reads the metadata of an article: title, author, dates, language, image."""
