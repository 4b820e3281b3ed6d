"""Tell a listing's empty last page from what a site shows in place of a page: a file, a robot check, a new layout."""

from __future__ import annotations

import re

from inforadar.errors import InvalidUrlError
from inforadar.stages.discover.pages.listing import PageListing
from inforadar.urls import canonical_form

_SNIFFED_BYTES = 4_096
_NOT_HTML = (
    b"%pdf",
    b"{",
    b"[",
    b"<rss",
    b"<feed",
    b"\x89png",
    b"gif8",
    b"\xff\xd8\xff",
    b"pk\x03\x04",
    b"\x1f\x8b",
)
_HTML_TAG = re.compile(
    rb"<(?:!doctype html|html|head|body|div|p|a|ul|ol|li|table|article|section|main|h[1-6])\b"
)
_ROBOT_CHECK = re.compile(
    rb"captcha|challenge-platform|cf-chl|ddos-guard|just a moment|access denied|"
    rb"(?:not|are you) a (?:robot|human)|verify you are human"
)
_LAST_NUMBER = re.compile(r"/(?:page/?)?\d*/?$")


def is_html(body: bytes) -> bool:
    """Whether a body may be an HTML page, whatever its media type says. An empty one may."""
    start = body[:_SNIFFED_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not start:
        return True
    if start.startswith(_NOT_HTML):
        return False
    if body[:4] in (b"\xff\xfe<\x00", b"\xfe\xff\x00<") or b"\x00<\x00" in start:
        return True  # UTF-16
    if start.startswith(b"<?xml"):
        return b"<html" in start
    return _HTML_TAG.search(body.lower()) is not None


def is_robot_check(body: bytes, page: PageListing, before: PageListing | None) -> bool:
    """Whether a page without items asks for a proof that no robot reads it; it shares no link with the listing."""
    if before is not None and page.links & before.links:
        return False
    return _ROBOT_CHECK.search(body.lower()) is not None


def shows_items_elsewhere(page: PageListing, before: PageListing | None) -> bool:
    """Whether a page without items links to about as many new pages as the page before it had items."""
    if before is None or not before.items:
        return False
    own = {_shape(page.url, page.url), _shape(before.url, page.url)}
    new = {shape for link in page.links - before.links if (shape := _shape(link, page.url)) not in own}
    return len(new - {None}) >= max(2, len(before.items) // 2)


def _shape(address: str, base: str) -> str | None:
    """An address without its query, and without its number in the last place: all pages of a listing have the same."""
    try:
        return _LAST_NUMBER.sub("", canonical_form(address, base).partition("#")[0].partition("?")[0])
    except InvalidUrlError:
        return None
