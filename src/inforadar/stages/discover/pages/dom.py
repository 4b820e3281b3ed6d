"""From a page to a tree that can be asked by selectors, and from its nodes to texts and addresses."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from inforadar.errors import InvalidUrlError
from inforadar.stages.discover.feed.text import MAX_TITLE_CHARS, fold_whitespace
from inforadar.stages.discover.pages.dom_limits import refuse_costly
from inforadar.urls import canonical_form, normalize, root_domain

Node = LexborNode
Tree = LexborHTMLParser


def parse_tree(html: str) -> Tree:
    """The page as a tree; `ParseError` if it would cost too much to build."""
    refuse_costly(html)
    return Tree(html)


def line(node: Node | None) -> str | None:
    """The visible text of an element on one line, as it would be read: it is decoded already."""
    if node is None:
        return None
    text = fold_whitespace(node.text())
    return text if text is None or len(text) <= MAX_TITLE_CHARS else text[: MAX_TITLE_CHARS - 1] + "…"


def attribute(node: Node | None, name: str) -> str | None:
    """An attribute's value, if it has one that is not empty."""
    value = node.attributes.get(name) if node is not None else None
    return (value or "").strip() or None


def base_of(tree: Tree, url: str) -> str:
    """What links of the page are relative to."""
    href = attribute(tree.css_first("base[href]"), "href")
    try:
        return canonical_form(href, url) if href else url
    except InvalidUrlError:
        return url


def item_url(href: str | None, base: str) -> str | None:
    """An item's address in its normal form; nothing for what cannot be fetched."""
    try:
        return normalize(href, base) if href else None
    except InvalidUrlError:
        return None


def next_page_url(href: str | None, base: str, url: str) -> tuple[str | None, str | None]:
    """Where the listing goes on, nothing dropped from the address; else a sentence why not.

    A listing stays on its site: a link elsewhere is an advertisement or a trap.
    """
    if not href:
        return None, None
    try:
        address = canonical_form(href, base).partition("#")[0]
    except InvalidUrlError:
        return None, f"The link to the next page is no usable address: {href[:200]!r}."
    if root_domain(address) != root_domain(url):
        return None, f"The link to the next page leaves the site and is not followed: {address}."
    return (address, None) if address != url.partition("#")[0] else (None, None)
