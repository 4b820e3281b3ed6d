"""Habr: lists of articles (all, by hub, by company, news, search) and article pages.

The lists are `https://habr.com/ru/articles/`, `/ru/hubs/python/articles/` and the like; further pages are at
`…/page2/`. Numbers are rounded (`2.1K`) and taken as shown. Hubs and tags both become tags, hubs first. A list does
not show tags, but the page contains them in the state for its own scripts, and they are taken from there.
"""

from __future__ import annotations

import json
import re
from datetime import datetime

from inforadar.model.item import Listed
from inforadar.stages.discover.counters import parse_count, parse_rating
from inforadar.stages.discover.dates.absolute import parse_date
from inforadar.stages.discover.feed.encoding import decode
from inforadar.stages.discover.feed.text import snippet_text, title_text
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
from inforadar.stages.discover.site_title import find_site_title

_ITEM = "article.tm-articles-list__item"
_TITLE = ".tm-title__link, h1.tm-title"
_AUTHOR = ".tm-user-info__username"
_TIME = ".tm-article-datetime-published time, time[datetime]"
_HUB = ".tm-publication-hub__link, .tm-hubs-list__link"
_TAG = ".tm-tags-list__link"
_LEAD = ".tm-article-snippet__lead .article-formatted-body"
_IMAGE = ".tm-article-snippet__lead-image"
_VIEWS = ".tm-icon-counter__value"
_RATING = ".tm-votes-meter__value, .tm-votes-lever__score-counter"
_BOOKMARKS = ".bookmarks-button__counter"
_COMMENTS = ".tm-article-comments-counter-link__value"
_NEXT = "a[data-pagination-next], .tm-pagination a[rel=next], a#pagination-next-page"

_STATE = re.compile(r"window\.__INITIAL_STATE__\s*=\s*(?=\{)")
_ID = re.compile(r"/(\d+)/?(?:[?#]|$)")
_TOPIC = re.compile(r"habr\.com/(?:[a-z]{2}/)?(?:hubs?|flows|companies|company)/([\w-]+)")
_LANGUAGE = re.compile(r"habr\.com/([a-z]{2})/")


def parse_page(body: bytes, url: str, content_type: str, now: datetime) -> PageListing:
    """Read a list of articles. Habr writes complete, machine-readable dates, so `now` is not needed."""
    html = decode(body, content_type)
    tree = parse_tree(html)
    articles = _articles(tree, html, url)
    next_url, warning = next_page_url(attribute(tree.css_first(_NEXT), "href"), base_url(tree, url), url)
    warnings = [warning] if warning else []
    if not articles:
        warnings.append("Habr lists no article on this page.")
    return PageListing(
        url=url,
        items=articles,
        next_url=next_url if articles else None,
        # Habr links only to pages that exist.
        is_layout_unknown=not articles,
        links=page_links(tree),
        warnings=tuple(warnings),
        site_title=find_site_title(html),
    )


def topic_of(url: str) -> str | None:
    """The hub, flow or company of a list: the default topic for its feed."""
    match = _TOPIC.search(url)
    return match[1] if match else None


def _articles(tree: Tree, html: str, url: str) -> tuple[Listed, ...]:
    base, tags = base_url(tree, url), _tags_in_state(html)
    found: dict[str, Listed] = {}
    for node in tree.css(_ITEM):
        href = attribute(node.css_first(_TITLE), "href")
        article = _article(node, href, base, tags.get(attribute(node, "id") or "", ()))
        if article is not None:
            found.setdefault(article.url, article)
    return tuple(found.values())


def _article(node: Node, href: str | None, base: str, tags: tuple[str, ...]) -> Listed | None:
    """Read one element; None for an advertisement, which has no article number."""
    address = item_url(href, base)
    number = _ID.search(address) if address else None
    if address is None or number is None:
        return None
    hubs = tuple(
        dict.fromkeys(
            hub for link in node.css(_HUB) if (hub := one_line_text(link.css_first("span") or link))
        )
    )
    shown = tuple(dict.fromkeys(tag for link in node.css(_TAG) if (tag := one_line_text(link))))
    tags = shown or tags
    lead = node.css_first(_LEAD)
    content = lead.html if lead is not None else None
    language = _LANGUAGE.search(address)
    return Listed(
        url=address,
        guid=number[1],
        title=one_line_text(node.css_first(_TITLE)),
        published_at=parse_date(attribute(node.css_first(_TIME), "datetime") or ""),
        author=one_line_text(node.css_first(_AUTHOR)),
        snippet=snippet_text(content),
        content=content,
        tags=_distinct(hubs + tags),
        image=item_url(attribute(node.css_first(_IMAGE), "src"), base),
        language=language[1] if language else None,
        views=_count(node, _VIEWS),
        comments=_count(node, _COMMENTS),
        rating=_rating(node),
        bookmarks=_count(node, _BOOKMARKS),
    )


def _distinct(words: tuple[str, ...]) -> tuple[str, ...]:
    """Drop repeated words, ignoring case: a hub and a tag are often the same word."""
    distinct: dict[str, str] = {}
    for word in words:
        distinct.setdefault(word.casefold(), word)
    return tuple(distinct.values())


def _count(node: Node, selector: str) -> int | None:
    shown = one_line_text(node.css_first(selector))
    return parse_count(shown) if shown else None


def _rating(node: Node) -> float | None:
    shown = one_line_text(node.css_first(_RATING))
    return parse_rating(shown) if shown else None


def _tags_in_state(html: str) -> dict[str, tuple[str, ...]]:
    """Tags by article number. The state is internal to the site and may change any day; then there are no tags."""
    start = _STATE.search(html)
    if start is None:
        return {}
    try:
        state, _ = json.JSONDecoder().raw_decode(html, start.end())
        articles = state["articlesList"]["articlesList"]
        return {
            number: tuple(text for tag in article["tags"] if (text := title_text(tag["titleHtml"])))
            for number, article in articles.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
