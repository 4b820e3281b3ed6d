"""Files the children of a feed or an entry by what they are, in one pass: the hot loop of collecting.

A large feed has ten thousand of them, so each child is touched once, its text is taken at once, and nothing
is searched for again.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from inforadar.stages.discover.dates import parse_date
from inforadar.stages.discover.feed_markup import atom_html, element_html
from inforadar.stages.discover.feed_names import KEYS

Element = Any
"""lxml's own; it has no types that are worth their price here."""

_TEXTS = frozenset(
    {
        "guid", "id", "dc:identifier", "dc:title", "media:title",
        "pubdate", "published", "issued", "dcterms:issued", "dc:date", "dcterms:created", "created", "date",
        "updated", "modified", "dcterms:modified", "dcterms:date",
        "description", "dc:description", "dcterms:abstract", "itunes:summary", "itunes:subtitle", "subtitle",
        "tagline", "media:description", "dc:creator", "itunes:author", "managingeditor", "language",
        "dc:language", "slash:comments", "thr:total", "ttl", "sy:updateperiod", "sy:updatefrequency",
    }
)  # fmt: skip
"""Those whose text is all that is asked of them; of several, the first that has any counts."""


class Fields:
    """What one element holds. Repeated elements keep their order."""

    __slots__ = (
        "authors",
        "content",
        "elements",
        "is_title_plain",
        "links",
        "media",
        "media_tags",
        "permalink",
        "tags",
        "texts",
    )

    def __init__(self, children: Iterable[Element]) -> None:  # noqa: PLR0912, PLR0915 - one branch a kind, in one loop
        self.texts: dict[str, str] = {}
        self.links: list[Element] = []
        self.tags: list[str] = []
        self.authors: list[Element] = []
        self.media: list[tuple[str, Element]] = []
        self.media_tags: list[str] = []
        self.content: str | None = None
        """The longest of them."""
        self.elements: dict[str, Element] = {}
        """Whatever else there is, the first of each key."""
        self.permalink: Element | None = None
        self.is_title_plain = False
        texts = self.texts
        for child in children:
            key = KEYS[child.tag]
            if key in _TEXTS:
                text = element_html(child) if len(child) else child.text
                if text is not None and key not in texts and (text := text.strip()):
                    texts[key] = text
                    if key == "guid":
                        self.permalink = child
            elif key == "title":
                text = element_html(child) if len(child) else child.text
                if text is not None and key not in texts and (text := text.strip()):
                    texts[key] = text
                    self.is_title_plain = child.get("type") == "text"
            elif key == "link":
                self.links.append(child)
            elif key in {"category", "dc:subject"}:
                tag = child.get("term") or child.text or child.get("label")
                if tag is not None and (tag := tag.strip()) and tag not in self.tags:
                    self.tags.append(tag)
            elif key in {"content:encoded", "content", "summary"}:
                text = element_html(child) if len(child) else child.text
                if text is not None and (text := text.strip()):
                    if key != "content:encoded":
                        text = atom_html(child, text)
                    if key == "summary":
                        texts.setdefault(key, text)
                    elif self.content is None or len(text) > len(self.content):
                        self.content = text
            elif key == "author":
                self.authors.append(child)
            elif key == "media:category":
                if (tag := child.text) is not None and (tag := tag.strip()):
                    self.media_tags.append(tag)
            elif key == "itunes:keywords":
                self.media_tags += [word for part in (child.text or "").split(",") if (word := part.strip())]
            elif key.startswith(("media:", "enclosure", "itunes:image")):
                self.media.append((key, child))
            elif key not in self.elements:
                self.elements[key] = child

    def text(self, keys: Iterable[str]) -> str | None:
        """The text of the first of these that has any."""
        texts = self.texts
        for key in keys:
            if key in texts:
                return texts[key]
        return None

    def date(self, keys: Iterable[str]) -> datetime | None:
        """The date of the first of these that has one."""
        texts = self.texts
        for key in keys:
            if key in texts and (date := parse_date(texts[key])):
                return date
        return None

    def number(self, keys: Iterable[str]) -> int | None:
        texts = self.texts
        for key in keys:
            if key in texts and len(digits := texts[key]) < 10 and digits.isdecimal():
                return int(digits)
        return None
