"""Read the listing pages of any site with the selectors that a person wrote."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

from inforadar.errors import InvalidUrlError
from inforadar.model.item import Listed
from inforadar.stages.discover.counters import parse_count, parse_rating
from inforadar.stages.discover.dates.relative import parse_formatted_date, parse_listing_date
from inforadar.stages.discover.feed.encoding import decode
from inforadar.stages.discover.feed.text import fold_whitespace, snippet_text
from inforadar.stages.discover.pages.dom import (
    Node,
    Tree,
    attribute,
    base_url,
    item_url,
    next_page_url,
    one_line_text,
    page_links,
    parse_tree,
)
from inforadar.stages.discover.pages.listing import PageListing
from inforadar.stages.discover.pages.selectors.definition import PAGE_PLACEHOLDER, Selectors, split_selector
from inforadar.stages.discover.site_title import find_site_title
from inforadar.urls import canonical_form

_MAX_TAGS = 100
_PAGE_MARK = "4815162342"
"""Replaces `{page}` while the URL is normalized, which might escape the braces."""


def parse_page(
    body: bytes,
    url: str,
    content_type: str,
    now: datetime,
    *,
    selectors: Selectors,
    timezone: tzinfo = UTC,
) -> PageListing:
    """Read a page as fetched; a `partial` with `selectors` and `timezone` is a `PageReader`."""
    return read_page(decode(body, content_type), url, selectors, now, timezone)


def read_page(
    html: str, url: str, selectors: Selectors, now: datetime, timezone: tzinfo = UTC
) -> PageListing:
    """Read the items of a page in page order; if two have the same URL, the first counts."""
    tree = parse_tree(html)
    base = base_url(tree, url)
    items: dict[str, Listed] = {}
    nodes = tree.css(selectors.item)
    for node in nodes:
        address = item_url(link_of(node, selectors.link), base)
        if address is not None and address not in items:
            items[address] = _listed(node, address, selectors, now, timezone)
    warnings: list[str] = []
    if not nodes:
        warnings.append(f"Nothing on the page matches `item`: {selectors.item!r}.")
    elif not items:
        warnings.append(f"No item has a usable link; `link` is {selectors.link!r}.")
    next_url, warning = find_next(tree, base, url, selectors) if items else (None, None)
    return PageListing(
        url=url,
        items=tuple(items.values()),
        next_url=next_url,
        is_next_guessed=selectors.page_url is not None,
        is_layout_unknown=bool(nodes) and not items,
        links=page_links(tree),
        warnings=(*warnings, warning) if warning else tuple(warnings),
        site_title=find_site_title(html),
    )


def nodes_of(item: Node, selector: str) -> list[Node]:
    """The elements that a selector matches in an item, in page order."""
    css, _ = split_selector(selector)
    return item.css(css) if css else [item]


def texts_of(item: Node, selector: str) -> list[str]:
    """The texts that a selector matches in an item: the attribute it names, else the visible text."""
    _, name = split_selector(selector)
    found: list[str] = []
    for node in nodes_of(item, selector):
        wanted = name or ("content" if node.tag == "meta" else None)
        text = fold_whitespace(attribute(node, wanted) or "") if wanted else one_line_text(node)
        if text:
            found.append(text)
    return found


def link_of(item: Node, selector: str) -> str | None:
    """The address of the element that a selector matches, or of a link inside it."""
    _, name = split_selector(selector)
    for node in nodes_of(item, selector):
        address = attribute(node, name or "href")
        if address is None and name is None:
            address = attribute(node.css_first("a[href]"), "href")
        if address:
            return address
    return None


def date_texts(item: Node, selector: str) -> list[str]:
    """Texts that may be an item's date, the best first: machine-readable before visible ones."""
    _, name = split_selector(selector)
    found: list[str | None] = []
    for node in nodes_of(item, selector):
        if name is not None:
            found.append(attribute(node, name))
        else:
            inner = node if attribute(node, "datetime") else node.css_first("time[datetime]")
            found += [
                attribute(inner, "datetime"),
                attribute(node, "content"),
                one_line_text(node),
                attribute(node, "title"),
            ]
    return [text for text in found if text]


def date_of(item: Node, selectors: Selectors, now: datetime, timezone: tzinfo) -> datetime | None:
    """The first of an item's date texts that can be read as a date."""
    for text in date_texts(item, selectors.date):
        if selectors.date_format and (
            moment := parse_formatted_date(text, selectors.date_format, now, timezone)
        ):
            return moment
        if moment := parse_listing_date(text, now, timezone):
            return moment
    return None


def find_next(tree: Tree, base: str, url: str, selectors: Selectors) -> tuple[str | None, str | None]:
    """The URL of the next page, or None and possibly a warning."""
    root = tree.root
    if selectors.next is not None and root is not None:
        return next_page_url(link_of(root, selectors.next), base, url)
    if selectors.page_url is None:
        return None, None
    try:
        pattern = canonical_form(selectors.page_url.replace(PAGE_PLACEHOLDER, _PAGE_MARK), base)
    except InvalidUrlError:
        return None, f"`page_url` is not a usable URL: {selectors.page_url!r}."
    number = _page_number(url, pattern)
    following = (selectors.first_page if number is None else number) + 1
    return next_page_url(pattern.replace(_PAGE_MARK, str(following)), base, url)


def _page_number(url: str, pattern: str) -> int | None:
    """The page number in a URL. Scheme, `www` and a final slash may differ, because sites change them."""
    before, _, after = (re.escape(part) for part in _without_scheme(pattern).partition(_PAGE_MARK))
    match = re.fullmatch(rf"{before}(\d{{1,9}}){after}", _without_scheme(url))
    return int(match[1]) if match else None


def _without_scheme(url: str) -> str:
    return url.partition("://")[2].removeprefix("www.").rstrip("/")


def _listed(node: Node, address: str, selectors: Selectors, now: datetime, timezone: tzinfo) -> Listed:
    def text(selector: str | None) -> str | None:
        return next(iter(texts_of(node, selector)), None) if selector else None

    def count(selector: str | None) -> int | None:
        shown = text(selector)
        return parse_count(shown) if shown else None

    rating = text(selectors.rating)
    return Listed(
        url=address,
        title=text(selectors.title),
        published_at=date_of(node, selectors, now, timezone),
        author=text(selectors.author),
        snippet=_snippet(node, selectors.snippet),
        tags=tags_of(node, selectors.tags),
        views=count(selectors.views),
        comments=count(selectors.comments),
        rating=parse_rating(rating) if rating else None,
        bookmarks=count(selectors.bookmarks),
    )


def _snippet(node: Node, selector: str | None) -> str | None:
    if selector is None:
        return None
    if split_selector(selector)[1] is not None:
        return snippet_text(next(iter(texts_of(node, selector)), None))
    return next((text for found in nodes_of(node, selector) if (text := snippet_text(found.html))), None)


def tags_of(node: Node, selector: str | None) -> tuple[str, ...]:
    """Read the tags: one per element, or several in a single element, separated by commas."""
    texts = texts_of(node, selector) if selector else []
    if len(texts) == 1:
        texts = texts[0].split(",")
    tags = (text.strip().removeprefix("#").strip() for text in texts[:_MAX_TAGS])
    return tuple(dict.fromkeys(tag for tag in tags if tag))
