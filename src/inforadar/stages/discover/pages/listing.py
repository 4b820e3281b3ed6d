"""The result of reading one listing page, and the type of the functions that read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from inforadar.model.item import Listed


@dataclass(frozen=True, slots=True, kw_only=True)
class PageListing:
    """The items of one listing page and the way to the next."""

    url: str
    """The page's URL after redirects."""
    items: tuple[Listed, ...]
    """In page order; `published_at` is None if the date could not be read."""
    next_url: str | None = None
    """The absolute URL of the next page; None on the last page."""
    is_next_guessed: bool = False
    """The page has no link to the next one; `next_url` was made by counting and may not exist."""
    is_layout_unknown: bool = False
    """The page shows something where items are expected, but not in a layout that the reader knows."""
    links: frozenset[str] = frozenset()
    """All addresses that the page links to, as written."""
    warnings: tuple[str, ...] = ()
    """Sentences that say what was wrong with the page."""
    site_title: str | None = None
    """The name that the page gives its site, else its own title."""


PageReader = Callable[[bytes, str, str, datetime], PageListing]
"""Reads a listing page: (body, url, content type, time of the fetch). Pure; raises `ParseError` if it is not a page.

Must be a module-level function or a `partial` of one, so that it can be sent to another process.
"""
