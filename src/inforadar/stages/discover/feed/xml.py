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

from inforadar.model.feed_warning import FeedWarning
from inforadar.stages.discover.dates.absolute import DateOrder
from inforadar.stages.discover.dates.order import find_date_order
from inforadar.stages.discover.feed.enclosures import Media, parse_duration
from inforadar.stages.discover.feed.fields import Element, Fields
from inforadar.stages.discover.feed.hints import read_hints
from inforadar.stages.discover.feed.limits import MAX_ENTRIES
from inforadar.stages.discover.feed.markup import element_html
from inforadar.stages.discover.feed.namespaces import KEYS, RDF, XML
from inforadar.stages.discover.feed.raw import RawEntry, RawFeed

TOO_MANY_ENTRIES = FeedWarning(
    text=f"The feed has more than {MAX_ENTRIES:,} entries; the rest was not read.", is_loss=True
)

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
_DATES = frozenset({*_PUBLISHED, *_UPDATED})
_SUMMARY = ("description", "summary", "itunes:summary", "itunes:subtitle")
_FALLBACK_SUMMARY = ("dc:description", "dcterms:abstract")
"""Used by catalogues: they describe the text rather than summarize it."""

_DESCRIPTION = ("description", "subtitle", "tagline", "dc:description", "itunes:summary", "itunes:subtitle")
_TITLE = ("title", "dc:title", "media:title")
_IDENTIFIER = ("guid", "id")
MAX_AUTHORS = 20
_AUTHOR = ("itunes:author", "managingeditor")
_PERSON = ("name", "email", "uri")
_COMMENTS = ("slash:comments", "thr:total")
_RARE = frozenset({*_COMMENTS, "dc:language", "itunes:season", "itunes:episode"})
"""Fields that few entries have, looked for all at once."""

_PICTURES = {"media:content": "url", "media:thumbnail": "url", "itunes:image": "href"}
_ABSOLUTE = ("http://", "https://")
_MAX_BASE_CHARS = 2_000
"""Every relative link grows by its base: a long base times twenty thousand links would fill the memory."""

_PAGE_TYPES = frozenset({None, "", "text/html", "application/xhtml+xml"})


def read_feed(root: Element, url: str, zone: tzinfo) -> RawFeed | None:
    """Read the feed in a tree, or None if its root is not a feed's; `zone` applies to dates without a time zone."""
    kind = KEYS[root.tag]
    return _Reader(url, zone).read(root, kind) if kind in _ROOTS else None


def drop_last_entry(root: Element) -> None:
    """Remove the entry that the document ends in: each of its open elements is the last child of another."""
    element = root
    while len(element):
        element = element[-1]
        if KEYS[element.tag] in _ENTRIES:
            element.getparent().remove(element)
            return


class _Reader:
    """Reads one document; keeps its URL, the zone for dates, and the base URLs found on the way."""

    def __init__(self, url: str, zone: tzinfo) -> None:
        self.url = url
        self.zone = zone
        self.order = DateOrder.UNKNOWN
        self.bases: dict[Element, str] = {}
        """Base URL by element, for those with relative links, so that `xml:base` is resolved once per element."""

    def read(self, root: Element, kind: str) -> RawFeed:
        fields: list[Element] = []
        # RSS 1.0 puts its items beside the channel, and so do some feeds that claim to be 2.0.
        channels = [child for child in root if KEYS[child.tag] == "channel"] if kind != "feed" else []
        items: list[Element] = []
        for container in (*channels, root):
            for child in container:
                if KEYS[child.tag] not in _ENTRIES:
                    fields.append(child)
                elif len(items) <= MAX_ENTRIES:
                    items.append(child)
        items = items or list(islice(_nested_entries(root), MAX_ENTRIES + 1))
        found = Fields(fields)
        language = found.text(("language", "dc:language")) or root.get(XML + "lang")
        entries = [self._entry(item) for item in items]
        if any(entry.published is None for entry in entries):
            self.order = find_date_order(_date_texts(items), language)
            if self.order is not DateOrder.UNKNOWN:
                entries = [self._entry(item) for item in items]
        if kind == "feed" and (authors := self._authors(found)):
            entries = [
                entry if entry.author else entry._replace(author=authors[0], authors=authors)
                for entry in entries
            ]
        return RawFeed(
            entries=tuple(entries[:MAX_ENTRIES]),
            title=found.text(_TITLE),
            link=self._link(found.links) or self._home(found),
            description=found.text(_DESCRIPTION),
            language=language,
            icon=self._icon(found, root),
            hints=read_hints(found),
            warnings=(TOO_MANY_ENTRIES,) if len(entries) > MAX_ENTRIES else (),
            hubs=tuple(self._related(found.links, "hub")),
            self_link=next(self._related(found.links, "self"), None),
        )

    def _related(self, links: list[Element], relation: str) -> Iterator[str]:
        """The targets of the feed's links with this relation."""
        for link in links:
            href = (link.get("href") or "").strip()
            if href and relation in (link.get("rel") or "").casefold().split():
                yield self._absolute(link, href)

    def _entry(self, item: Element) -> RawEntry:
        found = Fields(item)
        media = Media()
        if found.media:
            self._add_media(media, found.media)
        link = self._link(found.links)
        self_link = comments_url = None
        if len(found.links) > 1 or link is None:
            self_link, comments_url = self._other_links(media, found.links)
        if link is None and found.permalink is not None:
            link = self._permalink(found.permalink)
        summary = found.text(_SUMMARY) or media.description
        content = found.content or _body(found)
        if summary is None and content is None:
            summary = found.text(_FALLBACK_SUMMARY)
        texts = found.texts
        authors = self._authors(found)
        has_rare = not _RARE.isdisjoint(texts)
        return RawEntry(
            # An entry without an id is identified by its link.
            found.text(_IDENTIFIER) or item.get(RDF + "about") or found.texts.get("dc:identifier") or link,
            link,
            found.text(_TITLE),
            found.date(_PUBLISHED, self.zone, self.order),
            found.date(_UPDATED, self.zone, self.order),
            summary,
            content,
            authors[0] if authors else None,
            found.tags,
            media.image,
            media.finished(texts.get("itunes:duration")) if media.enclosures else (),
            texts.get("dc:language") if has_rare else None,
            found.number(_COMMENTS) if has_rare else None,
            media.views,
            found.is_title_plain,
            authors,
            self_link,
            comments_url or texts.get("comments"),
            found.number(("itunes:season",)) if has_rare else None,
            found.number(("itunes:episode",)) if has_rare else None,
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

    def _other_links(self, media: Media, links: list[Element]) -> tuple[str | None, str | None]:
        """The entry's own address and that of its discussion; files that are linked are added to the media."""
        itself = comments = None
        for link in links:
            relation, href = link.get("rel"), (link.get("href") or "").strip()
            if not href:
                continue
            if relation == "enclosure":
                media.add(
                    self._absolute(link, href),
                    link.get("type"),
                    _count(link.get("length")),
                    title=link.get("title"),
                )
            elif relation == "self" and itself is None:
                itself = self._absolute(link, href)
            elif relation == "replies" and comments is None and link.get("type") in _PAGE_TYPES:
                comments = self._absolute(link, href)
        return itself, comments

    def _icon(self, found: Fields, root: Element) -> str | None:
        """The picture that stands for the feed: Atom's icon or logo, RSS's image, that of a podcast."""
        if address := found.text(("icon", "logo")):
            return self._absolute(root, address)
        if (image := found.elements.get("image")) is not None:
            for child in image:
                if KEYS[child.tag] == "url" and child.text and child.text.strip():
                    return self._absolute(child, child.text.strip())
        for key, element in found.media:
            if key == "itunes:image" and (address := element.get("href")):
                return self._absolute(element, address.strip())
        return None

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

    def _authors(self, found: Fields) -> tuple[str, ...]:
        """All authors, each once: those of the format itself, else those that extensions name."""
        names: dict[str, None] = {}
        for author in found.authors[:MAX_AUTHORS]:
            if person := _person(author) if len(author) else (author.text or "").strip():
                names[person] = None
        if not names:
            names = dict.fromkeys(found.creators[:MAX_AUTHORS])
        if not names and (other := found.text(_AUTHOR)):
            names[other] = None
        return tuple(names)

    def _add_media(self, media: Media, elements: list[tuple[str, Element]]) -> None:
        """Add pictures, files, the view count and the description from Media RSS and podcast elements."""
        for key, element in elements:
            if key in _PICTURES:
                if not (address := (element.get(_PICTURES[key]) or "").strip()):
                    continue
                address = self._absolute(element, address)
                is_picture = key != "media:content" or _is_image(element)
                if is_picture:
                    media.image = media.image or address
                if key == "media:content" and (not is_picture or media.image != address):
                    media.add(
                        address,
                        element.get("type"),
                        _count(element.get("fileSize")),
                        parse_duration(element.get("duration")),
                        _media_title(element),
                    )
            elif key == "enclosure":
                if address := (element.get("url") or "").strip():
                    address = self._absolute(element, address)
                    media.add(address, element.get("type"), _count(element.get("length")))
                    if media.image is None and _is_image(element):
                        media.image = address
            elif key == "media:group":
                group = Fields(element)
                self._add_media(media, group.media)
                media.description = media.description or group.texts.get("media:description")
            elif key == "media:community":
                counts = (_count(child.get("views")) for child in element if child.get("views"))
                media.views = next(counts, media.views)


def _date_texts(items: list[Element]) -> Iterator[str]:
    for item in items:
        for child in item:
            if KEYS[child.tag] in _DATES and child.text and ("/" in child.text or "-" in child.text):
                yield child.text


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


def _media_title(element: Element) -> str | None:
    texts = (child.text for child in element if KEYS[child.tag] == "media:title" and child.text)
    return next((text.strip() for text in texts if text.strip()), None)


def _count(text: Any) -> int | None:
    return int(text) if isinstance(text, str) and len(text) < 16 and text.isdecimal() else None


def _body(found: Fields) -> str | None:
    """The XHTML body that some RSS feeds put beside the fields."""
    for key in ("xhtml:body", "xhtml:div"):
        if key in found.elements:
            return element_html(found.elements[key])
    return None
