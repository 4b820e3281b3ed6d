"""Parse a page into a tree for CSS selectors, and get texts and URLs from its nodes."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from inforadar.errors import InvalidUrlError
from inforadar.stages.discover.feed.text import MAX_TITLE_CHARS, fold_whitespace
from inforadar.stages.discover.pages.dom_limits import refuse_costly_page
from inforadar.urls import canonical_form, normalize, root_domain

MAX_LINKS = 5_000

Node = LexborNode
Tree = LexborHTMLParser


def parse_tree(html: str) -> Tree:
    """Parse a page; raises `ParseError` if building the tree would cost too much."""
    refuse_costly_page(html)
    return Tree(html)


def one_line_text(node: Node | None) -> str | None:
    """The visible text of an element on one line. References are already decoded, so nothing is unescaped."""
    if node is None:
        return None
    text = fold_whitespace(node.text())
    return text if text is None or len(text) <= MAX_TITLE_CHARS else text[: MAX_TITLE_CHARS - 1] + "…"


def attribute(node: Node | None, name: str) -> str | None:
    """The value of an attribute; None if it is missing or empty."""
    value = node.attributes.get(name) if node is not None else None
    return (value or "").strip() or None


def base_url(tree: Tree, url: str) -> str:
    """The URL that the page's links are relative to."""
    href = attribute(tree.css_first("base[href]"), "href")
    try:
        return canonical_form(href, url) if href else url
    except InvalidUrlError:
        return url


def page_links(tree: Tree) -> frozenset[str]:
    """The addresses of all links on a page, as written."""
    found = (attribute(node, "href") for node in tree.css("a[href]")[:MAX_LINKS])
    return frozenset(href for href in found if href)


def item_url(href: str | None, base: str) -> str | None:
    """The normalized URL of an item; None if it cannot be fetched."""
    try:
        return normalize(href, base) if href else None
    except InvalidUrlError:
        return None


def next_page_url(href: str | None, base: str, url: str) -> tuple[str | None, str | None]:
    """The URL of the next page with every parameter kept, or None and possibly a warning.

    A listing stays on its site: a link to another one is an advertisement or a trap.
    """
    if not href:
        return None, None
    try:
        address = canonical_form(href, base).partition("#")[0]
    except InvalidUrlError:
        return None, f"The link to the next page is not a usable URL: {href[:200]!r}."
    if root_domain(address) != root_domain(url):
        return None, f"The link to the next page leads to another site and is not followed: {address}."
    return (address, None) if address != url.partition("#")[0] else (None, None)
