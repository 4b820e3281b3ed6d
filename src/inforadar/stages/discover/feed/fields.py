"""Sort the children of a feed or an entry by what they are, in one pass: the hot loop of collecting.

A large feed has ten thousand children, so each is visited once, its text is read on that visit, and nothing is
searched for again.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, tzinfo
from typing import Any

from inforadar.stages.discover.dates.absolute import DateOrder, parse_date
from inforadar.stages.discover.feed.markup import atom_html, element_html
from inforadar.stages.discover.feed.namespaces import KEYS

Element = Any
"""An lxml element. lxml's type stubs do not help enough here to justify their cost."""

_TEXTS = frozenset(
    {
        "guid", "id", "title", "dc:identifier", "dc:title", "media:title",
        "pubdate", "published", "issued", "dcterms:issued", "dc:date", "dcterms:created", "created", "date",
        "updated", "modified", "dcterms:modified", "dcterms:date",
        "description", "dc:description", "dcterms:abstract", "itunes:summary", "itunes:subtitle", "subtitle",
        "tagline", "media:description", "dc:creator", "itunes:author", "managingeditor", "language",
        "dc:language", "slash:comments", "thr:total", "ttl", "sy:updateperiod", "sy:updatefrequency",
        "comments", "itunes:duration", "itunes:episode", "itunes:season", "icon", "logo",
    }
)  # fmt: skip
"""Elements read only for their text; if one is repeated, the first with any text counts."""

_TAGS = frozenset({"category", "dc:subject"})
_MEDIA_TAGS = frozenset({"media:category", "itunes:keywords"})
_BODIES = frozenset({"content:encoded", "content", "summary"})
_MEDIA = ("media:", "enclosure", "itunes:image")

MAX_TAGS = 100
"""Tags kept per entry; more than this say nothing about it."""


class Fields:
    """The children of one element, sorted by what they are. Repeated elements keep their order."""

    __slots__ = (
        "authors",
        "content",
        "creators",
        "elements",
        "is_title_plain",
        "links",
        "media",
        "media_tags",
        "permalink",
        "tags",
        "texts",
    )

    def __init__(self, children: Iterable[Element]) -> None:  # noqa: PLR0912, PLR0915 - one branch per kind, in one loop
        texts: dict[str, str] = {}
        links: list[Element] = []
        tags: dict[str, None] = {}
        content: str | None = None
        self.authors: list[Element] = []
        self.creators: list[str] = []
        """The texts of `dc:creator`, which is repeated for several authors."""
        self.media: list[tuple[str, Element]] = []
        self.media_tags: list[str] = []
        self.elements: dict[str, Element] = {}
        """All other elements, the first of each key."""
        self.permalink: Element | None = None
        self.is_title_plain = False
        keys = KEYS
        for child in children:
            key = keys[child.tag]
            if key in _TEXTS:
                text = element_html(child) if len(child) else child.text
                if text is not None and key not in texts and (text := text.strip()):
                    texts[key] = text
                    if key == "dc:creator":
                        self.creators.append(text)
                    if key == "guid":
                        self.permalink = child
                    elif key == "title":
                        self.is_title_plain = child.get("type") == "text"
                elif key == "dc:creator" and text is not None and (text := text.strip()):
                    self.creators.append(text)
            elif key == "link":
                links.append(child)
            elif key in _TAGS:
                tag = child.get("term") or child.text or child.get("label")
                if tag is not None and (tag := tag.strip()) and len(tags) < MAX_TAGS:
                    tags[tag] = None
            elif key in _BODIES:
                text = _body(key, child)
                if key == "summary":
                    if text:
                        texts.setdefault(key, text)
                elif content is None or len(text) > len(content):
                    content = text
            elif key == "author":
                self.authors.append(child)
            elif key in _MEDIA_TAGS:
                self.media_tags += [word for part in (child.text or "").split(",") if (word := part.strip())]
            elif key.startswith(_MEDIA):
                self.media.append((key, child))
            elif key not in self.elements:
                self.elements[key] = child
        self.texts = texts
        self.links = links
        self.tags = tuple(tags) or tuple(self.media_tags[:MAX_TAGS])
        self.content = content or None
        """The longest, if there are several."""

    def text(self, keys: Iterable[str]) -> str | None:
        """The text of the first key that has one."""
        texts = self.texts
        for key in keys:
            if key in texts:
                return texts[key]
        return None

    def date(self, keys: Iterable[str], zone: tzinfo, order: DateOrder) -> datetime | None:
        """The date of the first key that has a readable one; `zone` applies to dates without a time zone."""
        texts = self.texts
        for key in keys:
            if key in texts and (date := parse_date(texts[key], zone, order)):
                return date
        return None

    def number(self, keys: Iterable[str]) -> int | None:
        """The number of the first key whose text is a short whole number."""
        texts = self.texts
        for key in keys:
            if key in texts and len(digits := texts[key]) < 10 and digits.isdecimal():
                return int(digits)
        return None


def _body(key: str, element: Element) -> str:
    text = (element_html(element) if len(element) else element.text or "").strip()
    return text if key == "content:encoded" else atom_html(element, text)
