"""What one page of a paged site lists, and what reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from inforadar.model.item import Listed


@dataclass(frozen=True, slots=True, kw_only=True)
class PageListing:
    """One listing page, read."""

    url: str
    """Where the page was in the end, after redirects."""
    items: tuple[Listed, ...]
    """In the page's order; an item whose date could not be read has none."""
    next_url: str | None = None
    """Where the listing goes on, absolute; None: this is its last page."""
    is_next_guessed: bool = False
    """The page does not say that there is a next one: its URL was made by counting."""
    warnings: tuple[str, ...] = ()
    """Sentences: what was odd about the page."""


PageReader = Callable[[bytes, str, str, datetime], PageListing]
"""Reads a listing page: (body, url, content type, when it was fetched). Pure; `ParseError` for what is no page.

A module's own function, or a `partial` of one, so that it can be sent to another process.
"""
