"""Render what the sample's outlets publish for programs: RSS 2.0, Atom, JSON Feed, a sitemap, robots.txt.

All functions render a list of editions, newest first. The time of the last change is an argument: a document with
the current time in it would look changed at every request.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from email.utils import format_datetime
from typing import Any

from lxml import etree

from inforadar.sample.markdown import render_body
from inforadar.sample.outlets import Outlet
from inforadar.sample.pictures import picture_url
from inforadar.sample.stories import Edition

MAX_NEWS_ENTRIES = 8
"""The number of newest sitemap entries that have the Google News extension, and with it a title."""

_ATOM = "http://www.w3.org/2005/Atom"
_CONTENT = "http://purl.org/rss/1.0/modules/content/"
_DC = "http://purl.org/dc/elements/1.1/"
_MEDIA = "http://search.yahoo.com/mrss/"
_SLASH = "http://purl.org/rss/1.0/modules/slash/"
_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_NEWS = "http://www.google.com/schemas/sitemap-news/0.9"
_IMAGE = "http://www.google.com/schemas/sitemap-image/1.1"


def render_rss(outlet: Outlet, editions: Sequence[Edition], changed_at: datetime, base: str) -> bytes:
    namespaces = {"atom": _ATOM, "content": _CONTENT, "dc": _DC, "media": _MEDIA, "slash": _SLASH}
    root = etree.Element("rss", {"version": "2.0"}, nsmap=namespaces)
    channel = etree.SubElement(root, "channel")
    _add(channel, "title", outlet.name)
    _add(channel, "link", f"{base}/{outlet.key}/")
    _add(channel, "description", outlet.tagline)
    _add(channel, "language", "en")
    _add(channel, "lastBuildDate", format_datetime(changed_at.astimezone(outlet.zone)))
    own = base + outlet.document_path
    _add(channel, f"{{{_ATOM}}}link", None, href=own, rel="self", type="application/rss+xml")
    for edition in editions:
        item = etree.SubElement(channel, "item")
        _add(item, "title", edition.title)
        _add(item, "link", base + edition.path)
        _add(item, "guid", f"{outlet.key}:{edition.slug}", isPermaLink="false")
        _add(item, "pubDate", format_datetime(edition.published_at.astimezone(outlet.zone)))
        _add(item, f"{{{_DC}}}creator", edition.author)
        _add(item, f"{{{_DC}}}language", edition.language)
        for tag in edition.tags:
            _add(item, "category", tag)
        _add(item, "description", edition.snippet)
        _add(item, f"{{{_CONTENT}}}encoded", render_body(edition.body))
        _add(item, f"{{{_MEDIA}}}content", None, url=picture_url(edition.slug, base), medium="image")
        if edition.counters.comments is not None:
            _add(item, f"{{{_SLASH}}}comments", str(edition.counters.comments))
    return _document(root)


def render_atom(outlet: Outlet, editions: Sequence[Edition], changed_at: datetime, base: str) -> bytes:
    root = etree.Element(f"{{{_ATOM}}}feed", nsmap=_namespaces(_ATOM))
    own = base + outlet.document_path
    _atom(root, "title", outlet.name)
    _atom(root, "subtitle", outlet.tagline)
    _atom(root, "id", own)
    _atom(root, "updated", _iso(changed_at, outlet))
    _atom(root, "link", None, rel="self", type="application/atom+xml", href=own)
    _atom(root, "link", None, rel="alternate", type="text/html", href=f"{base}/{outlet.key}/")
    for edition in editions:
        entry = _atom(root, "entry", None)
        entry.set("{http://www.w3.org/XML/1998/namespace}lang", edition.language)
        _atom(entry, "title", edition.title)
        _atom(entry, "id", base + edition.path)
        _atom(entry, "link", None, rel="alternate", type="text/html", href=base + edition.path)
        _atom(entry, "published", _iso(edition.published_at, outlet))
        _atom(entry, "updated", _iso(edition.modified_at, outlet))
        _atom(_atom(entry, "author", None), "name", edition.author)
        for tag in edition.tags:
            _atom(entry, "category", None, term=tag)
        _atom(entry, "summary", edition.snippet)
    return _document(root)


def render_json_feed(outlet: Outlet, editions: Sequence[Edition], base: str) -> bytes:
    items = []
    for edition in editions:
        item = {
            "id": base + edition.path,
            "url": base + edition.path,
            "title": edition.title,
            "summary": edition.snippet,
            "content_html": render_body(edition.body),
            "image": picture_url(edition.slug, base),
            "date_published": _iso(edition.published_at, outlet),
            "authors": [{"name": edition.author}],
            "tags": list(edition.tags),
            "language": edition.language,
        }
        if edition.was_changed:
            item["date_modified"] = _iso(edition.modified_at, outlet)
        items.append(item)
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": outlet.name,
        "description": outlet.tagline,
        "home_page_url": f"{base}/{outlet.key}/",
        "feed_url": base + outlet.document_path,
        "language": "en",
        "items": items,
    }
    return json.dumps(feed, ensure_ascii=False, indent=1).encode()


def render_sitemap(outlet: Outlet, editions: Sequence[Edition], base: str) -> bytes:
    root = etree.Element(f"{{{_SITEMAP}}}urlset", nsmap=_namespaces(_SITEMAP, news=_NEWS, image=_IMAGE))
    for place, edition in enumerate(editions):
        url = etree.SubElement(root, f"{{{_SITEMAP}}}url")
        _add(url, f"{{{_SITEMAP}}}loc", base + edition.path)
        _add(url, f"{{{_SITEMAP}}}lastmod", _iso(edition.modified_at, outlet))
        if place < MAX_NEWS_ENTRIES:
            news = etree.SubElement(url, f"{{{_NEWS}}}news")
            publication = etree.SubElement(news, f"{{{_NEWS}}}publication")
            _add(publication, f"{{{_NEWS}}}name", outlet.name)
            _add(publication, f"{{{_NEWS}}}language", edition.language)
            _add(news, f"{{{_NEWS}}}publication_date", _iso(edition.published_at, outlet))
            _add(news, f"{{{_NEWS}}}title", edition.title)
        image = etree.SubElement(url, f"{{{_IMAGE}}}image")
        _add(image, f"{{{_IMAGE}}}loc", picture_url(edition.slug, base))
    return _document(root)


def render_robots(sitemaps: Sequence[str]) -> bytes:
    named = "".join(f"Sitemap: {url}\n" for url in sitemaps)
    return f"User-agent: *\nAllow: /\n\n{named}".encode()


def _namespaces(default: str, **others: str) -> Any:
    # The type stubs of lxml do not allow the default namespace, whose key is None.
    return {None: default, **others}


def _iso(moment: datetime, outlet: Outlet) -> str:
    return moment.astimezone(outlet.zone).isoformat()


def _add(parent: etree._Element, name: str, text: str | None, **attributes: str) -> etree._Element:
    element = etree.SubElement(parent, name, attributes)
    element.text = text
    return element


def _atom(parent: etree._Element, name: str, text: str | None, **attributes: str) -> etree._Element:
    return _add(parent, f"{{{_ATOM}}}{name}", text, **attributes)


def _document(root: etree._Element) -> bytes:
    return bytes(etree.tostring(root, xml_declaration=True, encoding="utf-8", pretty_print=True))
