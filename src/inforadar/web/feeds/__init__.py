"""Serving RSS, Atom and JSON Feed documents."""
