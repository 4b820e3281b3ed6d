"""Reads a page's `<meta>`, `<link>`, `<title>` and JSON-LD once, into plain dictionaries."""

from __future__ import annotations

import html as entities
import json
import re
from collections.abc import Iterator
from typing import Any

from selectolax.lexbor import LexborHTMLParser

MAX_JSON_CHARACTERS = 500_000
"""Longer JSON-LD is a catalogue, not the description of an article."""
MAX_OBJECTS = 500
MAX_FIELD_CHARACTERS = 1_000
"""A longer text is not a title or a name."""

ARTICLE_TYPES = (
    "Article", "BlogPosting", "LiveBlogPosting", "DiscussionForumPosting", "SocialMediaPosting", "Report",
    "Recipe", "HowTo", "Review",
)  # fmt: skip
_PAGE_TYPES = ("WebPage", "ItemPage", "QAPage", "FAQPage", "MedicalWebPage")

_SPACE = re.compile(r"\s+")
_TAG = re.compile(r"<[^<>]{1,200}>")


def one_line(text: str | None) -> str:
    """Clean a text for a field: decode double-encoded entities, remove tags, collapse white space."""
    if not text:
        return ""
    text = text[:MAX_FIELD_CHARACTERS]
    if "&" in text:
        text = entities.unescape(text)
    if "<" in text:
        text = _TAG.sub("", text)
    return _SPACE.sub(" ", text).strip()


class Head:
    """The machine-readable statements of a page."""

    def __init__(self, page: LexborHTMLParser) -> None:
        self.meta: dict[str, str] = {}
        self.links: dict[str, str] = {}
        self._read_meta(page)
        self.objects = list(_json_ld(page))
        self.article = self._article()
        title = page.css_first("head > title") or page.css_first("title")
        self.title = one_line(title.text()) if title is not None else ""
        root = page.root
        self.lang = (
            (root.attributes.get("lang") or root.attributes.get("xml:lang") or "") if root is not None else ""
        )

    def _read_meta(self, page: LexborHTMLParser) -> None:
        for node in page.css("meta[content]"):
            attrs = node.attributes
            value = (attrs.get("content") or "").strip()
            if not value:
                continue
            for kind in ("property", "name", "itemprop", "http-equiv"):
                key = attrs.get(kind)
                if key:
                    self.meta.setdefault(key.strip().lower(), value)
        for node in page.css("link[rel][href]"):
            attrs = node.attributes
            for rel in (attrs.get("rel") or "").lower().split():
                self.links.setdefault(rel, (attrs.get("href") or "").strip())
        base = page.css_first("base[href]")
        if base is not None:
            self.links["base"] = (base.attributes.get("href") or "").strip()

    def _article(self) -> dict[str, Any]:
        for types in (ARTICLE_TYPES, _PAGE_TYPES):
            for found in self.objects:
                if is_a(found, types):
                    return found
        return {}

    def first(self, *names: str) -> str:
        """Return the first of these `<meta>` elements that is not empty."""
        for name in names:
            value = self.meta.get(name)
            if value:
                return one_line(value)
        return ""


def is_a(found: dict[str, Any], types: tuple[str, ...]) -> bool:
    """Does a JSON-LD object have one of these types? `NewsArticle` counts as `Article`."""
    kind = found.get("@type")
    names = kind if isinstance(kind, list) else [kind]
    return any(isinstance(name, str) and name.endswith(types) for name in names)


def _json_ld(page: LexborHTMLParser) -> Iterator[dict[str, Any]]:
    count = 0
    for node in page.css('script[type*="ld+json" i]'):
        text = node.text()
        if not text or len(text) > MAX_JSON_CHARACTERS:
            continue
        todo = [_loads(text)]
        while todo:
            found = todo.pop(0)
            if isinstance(found, list):
                todo[:0] = found[:MAX_OBJECTS]
            elif isinstance(found, dict):
                yield found
                count += 1
                if count >= MAX_OBJECTS:
                    return
                todo.extend(
                    found[key] for key in ("@graph", "mainEntity", "mainEntityOfPage") if key in found
                )


def _loads(text: str) -> Any:
    """Parse JSON as publishers write it: in comments, with raw line breaks, with a stray comma or semicolon."""
    text = text.strip().removeprefix("<!--").removesuffix("-->").strip()
    text = (
        text.removeprefix("//<![CDATA[").removeprefix("<![CDATA[").removesuffix("//]]>").removesuffix("]]>")
    )
    try:
        return json.loads(text.strip().rstrip(";"), strict=False)
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(re.sub(r",\s*([}\]])", r"\1", text).rstrip(";"), strict=False)
    except (ValueError, RecursionError):
        return None
