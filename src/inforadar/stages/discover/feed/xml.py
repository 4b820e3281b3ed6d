"""Read the element tree of a feed: RSS 0.9x, 1.0, 2.0 and Atom 0.3, 1.0, with one reader for all.

Publishers mix the formats (an Atom link in an RSS item, Dublin Core everywhere), so there is no reader per format.
The children of an entry are sorted by what they are (`fields.py`), and each item field has its own list of
elements to look for, in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo
from itertools import islice
from typing import Any
from urllib.parse import urljoin

from inforadar.stages.discover.feed.fields import Element, Fields
from inforadar.stages.discover.feed.hints import read_hints
from inforadar.stages.discover.feed.markup import element_html
from inforadar.stages.discover.feed.namespaces import KEYS, RDF, XML
from inforadar.stages.discover.feed.raw import RawEntry, RawFeed

MAX_ENTRIES = 20_000
"""More than any real feed has. A document with a million empty items must not become a million objects."""

TOO_MANY_ENTRIES = f"The feed has more than {MAX_ENTRIES:,} entries; the rest was not read."

_ROOTS = frozenset({"rss", "rdf:rdf", "rdf", "feed", "channel"})
_ENTRIES = frozenset({"item", "entry"})
_PUBLISHED = (
    "pubdate",
    "published",
    "issued",
    "dcterms:issued",
    "dc:date",
    "dcterms:created",
    "created",
    "date",
)
_UPDATED = ("updated", "modified", "dcterms:modified", "dcterms:date")
_SUMMARY = ("description", "summary", "itunes:summary", "itunes:subtitle")
_FALLBACK_SUMMARY = ("dc:description", "dcterms:abstract")
"""Used by catalogues: they describe the text rather than summarize it."""

_DESCRIPTION = ("description", "subtitle", "tagline", "dc:description", "itunes:summary", "itunes:subtitle")
_TITLE = ("title", "dc:title", "media:title")
_IDENTIFIER = ("guid", "id")
_AUTHOR = ("dc:creator", "itunes:author", "managingeditor")
_PERSON = ("name", "email", "uri")
_COMMENTS = ("slash:comments", "thr:total")
_PICTURES = {"media:content": "url", "media:thumbnail": "url", "itunes:image": "href"}
_ABSOLUTE = ("http://", "https://")
_MAX_BASE_CHARS = 2_000
"""Every relative link grows by its base: a long base times twenty thousand links would fill the memory."""

_PAGE_TYPES = frozenset({None, "", "text/html", "application/xhtml+xml"})


def read_feed(root: Element, url: str, zone: tzinfo) -> RawFeed | None:
    """Read the feed in a tree, or None if its root is not a feed's; `zone` applies to dates without a time zone."""
    kind = KEYS[root.tag]
    return _Reader(url, zone).read(root, kind) if kind in _ROOTS else None


class _Reader:
    """Reads one document; keeps its URL, the zone for dates, and the base URLs found on the way."""

    def __init__(self, url: str, zone: tzinfo) -> None:
        self.url = url
        self.zone = zone
        self.bases: dict[Element, str] = {}
        """Base URL by element, for those with relative links, so that `xml:base` is resolved once per element."""

    def read(self, root: Element, kind: str) -> RawFeed:
        entries: list[RawEntry] = []
        fields: list[Element] = []
        # RSS 1.0 puts its items beside the channel, and so do some feeds that claim to be 2.0.
        channels = [child for child in root if KEYS[child.tag] == "channel"] if kind != "feed" else []
        for container in (*channels, root):
            for child in container:
                if KEYS[child.tag] not in _ENTRIES:
                    fields.append(child)
                elif len(entries) <= MAX_ENTRIES:
                    entries.append(self._entry(child))
        if not entries:
            entries = [self._entry(element) for element in islice(_nested_entries(root), MAX_ENTRIES + 1)]
        found = Fields(fields)
        if kind == "feed" and (author := self._author(found)):
            entries = [entry if entry.author else entry._replace(author=author) for entry in entries]
        return RawFeed(
            entries=tuple(entries[:MAX_ENTRIES]),
            title=found.text(_TITLE),
            link=self._link(found.links) or self._home(found),
            description=found.text(_DESCRIPTION),
            language=found.text(("language", "dc:language")) or root.get(XML + "lang"),
            hints=read_hints(found),
            warnings=(TOO_MANY_ENTRIES,) if len(entries) > MAX_ENTRIES else (),
        )

    def _entry(self, item: Element) -> RawEntry:
        found = Fields(item)
        image, enclosure, views, summary = (
            self._media(found.media) if found.media else (None, None, None, None)
        )
        link = self._link(found.links)
        if link is None and found.permalink is not None:
            link = self._permalink(found.permalink)
        summary = found.text(_SUMMARY) or summary
        content = found.content or _body(found)
        if summary is None and content is None:
            summary = found.text(_FALLBACK_SUMMARY)
        return RawEntry(
            # An entry without an id is identified by its link.
            found.text(_IDENTIFIER) or item.get(RDF + "about") or found.texts.get("dc:identifier") or link,
            link,
            found.text(_TITLE),
            found.date(_PUBLISHED, self.zone),
            found.date(_UPDATED, self.zone),
            summary,
            content,
            self._author(found),
            found.tags,
            image,
            enclosure,
            found.texts.get("dc:language"),
            found.number(_COMMENTS),
            views,
            found.is_title_plain,
        )

    def _link(self, links: list[Element]) -> str | None:
        """Choose the link: text content, as in RSS; else the first alternate that is a page; else any alternate."""
        best, is_best_page = None, False
        for link in links:
            if link.get("rel", "alternate") != "alternate":
                continue
            text = link.text
            if text is not None and (text := text.strip()):
                return text if text.startswith(_ABSOLUTE) else self._absolute(link, text)
            if not is_best_page and (href := link.get("href")):
                is_page = link.get("type") in _PAGE_TYPES
                if best is None or is_page:
                    best, is_best_page = self._absolute(link, href.strip()), is_page
        return best

    def _home(self, found: Fields) -> str | None:
        """Replace a feed's missing link: its id, if that is a URL, else the feed's own URL."""
        identifier = found.texts.get("id", "")
        if identifier.startswith(_ABSOLUTE):
            return identifier
        itself = (link for link in found.links if link.get("rel") == "self" and link.get("href"))
        return next((self._absolute(link, link.get("href").strip()) for link in itself), None)

    def _permalink(self, guid: Element) -> str | None:
        """The guid as a link, unless it says that it is not one."""
        if guid.get("isPermaLink", "true").strip().lower() == "false":
            return None
        text = (guid.text or "").strip()
        return self._absolute(guid, text) if text.startswith((*_ABSOLUTE, "/")) else None

    def _absolute(self, element: Element, link: str) -> str:
        if link.startswith(_ABSOLUTE):
            return link
        try:
            return urljoin(self._base(element), link)
        except ValueError:
            return link

    def _base(self, element: Element) -> str:
        """The base URL for relative links: the document's URL, changed by each `xml:base` above the element."""
        parent = element.getparent()
        if parent is None:
            inherited = self.url
        elif parent in self.bases:
            inherited = self.bases[parent]
        else:
            inherited = self.bases[parent] = self._base(parent)
        own = element.get(XML + "base")
        if not own or len(own) > _MAX_BASE_CHARS:
            return inherited
        joined = urljoin(inherited, own.strip())
        return joined if len(joined) <= _MAX_BASE_CHARS else inherited

    def _author(self, found: Fields) -> str | None:
        for author in found.authors:
            person = _person(author) if len(author) else (author.text or "").strip()
            if person:
                return person
        return found.text(_AUTHOR)

    def _media(
        self, media: list[tuple[str, Element]]
    ) -> tuple[str | None, str | None, int | None, str | None]:
        """The picture, attached file, view count and description from Media RSS and podcast elements."""
        image = enclosure = views = described = None
        for key, element in media:
            if key in _PICTURES:
                address = element.get(_PICTURES[key])
                if image is None and address and (key != "media:content" or _is_image(element)):
                    image = self._absolute(element, address.strip())
            elif key == "enclosure":
                if enclosure is None and (address := element.get("url")):
                    enclosure = self._absolute(element, address.strip())
                    if image is None and _is_image(element):
                        image = enclosure
            elif key == "media:group":
                group = Fields(element)
                inner = self._media(group.media)
                image, views = image or inner[0], views or inner[2]
                described = described or group.texts.get("media:description")
            elif key == "media:community":
                views = next((_count(child.get("views")) for child in element if child.get("views")), views)
        return image, enclosure, views, described


def _nested_entries(element: Element) -> Iterator[Element]:
    """Entries at any depth, but none inside another: each outer one would repeat the text of those inside it."""
    for child in element:
        if KEYS[child.tag] in _ENTRIES:
            yield child
        else:
            yield from _nested_entries(child)


def _person(author: Element) -> str | None:
    """An Atom person: the name, else the e-mail address, else the page."""
    known = {KEYS[child.tag]: child.text for child in author}
    return next((text for key in _PERSON if (text := (known.get(key) or "").strip())), None)


def _is_image(element: Element) -> bool:
    return bool(element.get("medium") == "image" or element.get("type", "").startswith("image/"))


def _count(text: Any) -> int | None:
    return int(text) if isinstance(text, str) and len(text) < 16 and text.isdecimal() else None


def _body(found: Fields) -> str | None:
    """The XHTML body that some RSS feeds put beside the fields."""
    for key in ("xhtml:body", "xhtml:div"):
        if key in found.elements:
            return element_html(found.elements[key])
    return None
