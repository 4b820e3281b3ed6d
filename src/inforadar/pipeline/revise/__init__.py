"""Looks at articles again and records what their outlets changed."""
