"""Reads the listing pages of any site by selectors that a person wrote."""

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
    base_of,
    item_url,
    line,
    next_page_url,
    parse_tree,
)
from inforadar.stages.discover.pages.listing import PageListing
from inforadar.stages.discover.pages.selectors.definition import PAGE, Selectors, split_selector
from inforadar.urls import canonical_form

_MOST_TAGS = 100
_MARK = "4815162342"
"""Stands for the number in a page's URL while that is brought into its normal form, which may escape braces."""


def parse_page(
    body: bytes,
    url: str,
    content_type: str,
    now: datetime,
    *,
    selectors: Selectors,
    timezone: tzinfo = UTC,
) -> PageListing:
    """A page as it came; with `selectors` and `timezone` given by a `partial`, this is a `PageReader`."""
    return read_page(decode(body, content_type), url, selectors, now, timezone)


def read_page(
    html: str, url: str, selectors: Selectors, now: datetime, timezone: tzinfo = UTC
) -> PageListing:
    """The items of a page in its order; of two with the same address the first counts."""
    tree = parse_tree(html)
    base = base_of(tree, url)
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
        warnings=(*warnings, warning) if warning else tuple(warnings),
    )


def nodes_of(item: Node, selector: str) -> list[Node]:
    """The elements that a selector catches in an item, in the page's order."""
    css, _ = split_selector(selector)
    return item.css(css) if css else [item]


def texts_of(item: Node, selector: str) -> list[str]:
    """What a selector catches in an item, as lines: the attribute that it asks for, else the text."""
    _, name = split_selector(selector)
    found: list[str] = []
    for node in nodes_of(item, selector):
        wanted = name or ("content" if node.tag == "meta" else None)
        text = fold_whitespace(attribute(node, wanted) or "") if wanted else line(node)
        if text:
            found.append(text)
    return found


def link_of(item: Node, selector: str) -> str | None:
    """The address that a selector catches: of the element itself, or of a link inside of it."""
    _, name = split_selector(selector)
    for node in nodes_of(item, selector):
        address = attribute(node, name or "href")
        if address is None and name is None:
            address = attribute(node.css_first("a[href]"), "href")
        if address:
            return address
    return None


def date_texts(item: Node, selector: str) -> list[str]:
    """What may be an item's date, the best first: what is written for machines before what is shown."""
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
                line(node),
                attribute(node, "title"),
            ]
    return [text for text in found if text]


def date_of(item: Node, selectors: Selectors, now: datetime, timezone: tzinfo) -> datetime | None:
    """The first of those that names a moment."""
    for text in date_texts(item, selectors.date):
        if selectors.date_format and (
            moment := parse_formatted_date(text, selectors.date_format, now, timezone)
        ):
            return moment
        if moment := parse_listing_date(text, now, timezone):
            return moment
    return None


def find_next(tree: Tree, base: str, url: str, selectors: Selectors) -> tuple[str | None, str | None]:
    """The URL of the next page, if there is one; else, perhaps, a sentence why not."""
    root = tree.root
    if selectors.next is not None and root is not None:
        return next_page_url(link_of(root, selectors.next), base, url)
    if selectors.page_url is None:
        return None, None
    try:
        pattern = canonical_form(selectors.page_url.replace(PAGE, _MARK), base)
    except InvalidUrlError:
        return None, f"`page_url` is no usable address: {selectors.page_url!r}."
    number = _page_number(url, pattern)
    following = (selectors.first_page if number is None else number) + 1
    return next_page_url(pattern.replace(_MARK, str(following)), base, url)


def _page_number(url: str, pattern: str) -> int | None:
    """Which page this is by its URL. Scheme, `www` and a closing slash are the site's to change."""
    before, _, after = (re.escape(part) for part in _bare(pattern).partition(_MARK))
    match = re.fullmatch(rf"{before}(\d{{1,9}}){after}", _bare(url))
    return int(match[1]) if match else None


def _bare(url: str) -> str:
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
    """Each element is a tag; a single one may hold several, with commas between them."""
    texts = texts_of(node, selector) if selector else []
    if len(texts) == 1:
        texts = texts[0].split(",")
    tags = (text.strip().removeprefix("#").strip() for text in texts[:_MOST_TAGS])
    return tuple(dict.fromkeys(tag for tag in tags if tag))
