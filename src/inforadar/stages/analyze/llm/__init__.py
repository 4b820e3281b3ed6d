"""Analyzers that ask a language model."""
