"""Builds small feeds, sitemaps and pages from plain arguments. Everything is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from html import escape


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One item of a document."""

    url: str
    title: str = "A title"
    guid: str | None = None
    published_at: datetime | None = None
    author: str | None = None
    summary: str | None = None
    categories: tuple[str, ...] = ()


def entries(count: int, base: str = "https://news.example/articles", first: int = 1) -> list[Entry]:
    """Make `count` different entries, newest first."""
    return [
        Entry(url=f"{base}/{number}", title=f"Article {number}", guid=f"{base}/{number}")
        for number in range(first + count - 1, first - 1, -1)
    ]


def rss(
    items: Iterable[Entry] = (),
    *,
    title: str = "News",
    link: str = "https://news.example/",
    description: str = "All the news",
    extra: str = "",
) -> str:
    """Build RSS 2.0. `extra` is raw XML for the channel: `<ttl>60</ttl>`."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
        ' xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"><channel>'
        f"{_tag('title', title)}{_tag('link', link)}{_tag('description', description)}{extra}"
        f"{''.join(map(_rss_item, items))}</channel></rss>"
    )


def _rss_item(entry: Entry) -> str:
    guid = "" if entry.guid is None else f'<guid isPermaLink="false">{escape(entry.guid)}</guid>'
    date = "" if entry.published_at is None else _tag("pubDate", format_datetime(entry.published_at))
    return (
        f"<item>{_tag('title', entry.title)}{_tag('link', entry.url)}{guid}{date}"
        f"{_tag('dc:creator', entry.author)}{_tag('description', entry.summary)}"
        f"{''.join(_tag('category', name) for name in entry.categories)}</item>"
    )


def atom(
    items: Iterable[Entry] = (),
    *,
    title: str = "News",
    link: str = "https://news.example/",
    updated_at: datetime | None = None,
    extra: str = "",
) -> str:
    """Build Atom 1.0. `extra` is raw XML for the feed."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f'{_tag("id", link)}{_tag("title", title)}<link href="{escape(link)}"/>'
        f"{_moment('updated', updated_at)}{extra}{''.join(map(_atom_entry, items))}</feed>"
    )


def _atom_entry(entry: Entry) -> str:
    author = "" if entry.author is None else f"<author>{_tag('name', entry.author)}</author>"
    summary = "" if entry.summary is None else f'<summary type="html">{escape(entry.summary)}</summary>'
    categories = "".join(f'<category term="{escape(name)}"/>' for name in entry.categories)
    return (
        f"<entry>{_tag('id', entry.guid or entry.url)}{_tag('title', entry.title)}"
        f'<link href="{escape(entry.url)}"/>'
        f"{_moment('published', entry.published_at)}{_moment('updated', entry.published_at)}{author}{summary}"
        f"{categories}</entry>"
    )


def sitemap(urls: Iterable[tuple[str, datetime | None]]) -> str:
    """Build a sitemap of URLs, each with the time of its last change or None."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        + "".join(f"<url>{_tag('loc', url)}{_moment('lastmod', changed)}</url>" for url, changed in urls)
        + "</urlset>"
    )


def sitemap_index(urls: Iterable[str]) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        + "".join(f"<sitemap>{_tag('loc', url)}</sitemap>" for url in urls)
        + "</sitemapindex>"
    )


def article_page(
    *,
    title: str = "A title",
    paragraphs: Iterable[str] = ("A paragraph that is long enough to be the abstract of an article.",),
    author: str | None = None,
    published_at: datetime | None = None,
    image: str | None = None,
    site_name: str | None = None,
    language: str = "en",
    head: str = "",
) -> str:
    """Build a page with one article, surrounded by the usual menu and footer."""
    meta = {
        "og:title": title,
        "og:site_name": site_name,
        "og:image": image,
        "article:published_time": published_at.isoformat() if published_at else None,
    }
    properties = "".join(
        f'<meta property="{name}" content="{escape(value)}">'
        for name, value in meta.items()
        if value is not None
    )
    byline = "" if author is None else f'<meta name="author" content="{escape(author)}">'
    picture = "" if image is None else f'<img src="{escape(image)}" alt="" width="800" height="450">'
    text = "".join(_tag("p", paragraph) for paragraph in paragraphs)
    return (
        f'<!doctype html><html lang="{escape(language)}"><head><meta charset="utf-8">{_tag("title", title)}'
        f"{properties}{byline}{head}</head><body><nav><a href='/'>Home</a> <a href='/about'>About</a></nav>"
        f"<main><article>{_tag('h1', title)}{picture}{text}</article>"
        "</main><footer>Imprint</footer></body></html>"
    )


def link_to_feed(url: str, kind: str = "application/rss+xml", title: str = "News") -> str:
    """Build a `<link>` for the head of a page that names its feed."""
    return f'<link rel="alternate" type="{escape(kind)}" title="{escape(title)}" href="{escape(url)}">'


def _tag(name: str, text: str | None) -> str:
    return "" if text is None else f"<{name}>{escape(text)}</{name}>"


def _moment(name: str, moment: datetime | None) -> str:
    return "" if moment is None else f"<{name}>{moment.isoformat()}</{name}>"
