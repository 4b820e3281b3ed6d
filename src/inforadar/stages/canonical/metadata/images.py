"""Finds the article's image: the one the publisher states, or the first in the text; never a logo or a pixel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from inforadar.errors import InvalidUrlError
from inforadar.stages.canonical.document.dom import Node
from inforadar.stages.canonical.metadata.head import Head
from inforadar.urls import canonical_form

# Match whole words only: "silicon" is not an icon, and "791x1024" is not 1x1.
_PLACEHOLDER = re.compile(
    r"(?<![^\W\d_])(?:logos?|logotype|placeholder|spacer|blank|fallback|(?:fav|(?:site|touch)[-_]?)icon"
    r"|site[-_]?(?:image|logo)|default[-_]?(?:image|img|og|share|thumb(?:nail)?|social)s?)(?![^\W\d_])"
    r"|/(?:default\.|(?:bl|gr)?avatars?/)|(?<!\d)1x1(?!\d)|\.svg(?:$|\?)",
    re.IGNORECASE,
)
"""Placeholders that publishers state for articles without an image."""
_DECORATION = re.compile(
    r"(?<![^\W\d_])(?:icons?|avatars?|sprites?|pixel|tracking|beacon|badges?|buttons?|emojis?|smil(?:ey|ie)s?|spinner"
    r"|loading|adverts?|advertisement|ads|captcha|transparent|headshots?|profiles?)(?![^\W\d_])|/ad/",
    re.IGNORECASE,
)
"""Decoration inside articles. In an image URL that the publisher states, these words are topics."""
_DECORATION_HOST = re.compile(r"doubleclick|feedburner|gravatar|scorecardresearch")
_NUMBER = re.compile(r"\d+")
MIN_SIDE_PIXELS = 100
"""Smaller images are decoration."""
_SOURCE_ATTRIBUTES = ("data-src", "data-original", "data-lazy-src", "data-full-src", "data-hi-res-src", "src")


def find_image(head: Head, main: Node, base: str) -> str | None:
    """Return the absolute URL of the article's image."""
    for address in _stated(head):
        found = _absolute(address, base)
        if found:
            return found
    for node in main.descendants():
        if node.tag in ("img", "amp-img") and _is_large(node):
            for address in _sources(node):
                found = _absolute(address, base)
                if found and not _is_decoration(found):
                    return found
    return None


def _stated(head: Head) -> Iterator[str]:
    for name in ("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"):
        value = head.meta.get(name)
        if value:
            yield value
    yield from _addresses(head.article.get("image") or head.article.get("thumbnailUrl"))


def _addresses(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for entry in value[:10]:
            yield from _addresses(entry)
    elif isinstance(value, dict):
        yield from _addresses(value.get("url") or value.get("contentUrl"))


def _sources(node: Node) -> Iterator[str]:
    for name in _SOURCE_ATTRIBUTES:
        value = node.get(name)
        if value:
            yield value
    for name in ("srcset", "data-srcset"):
        value = node.get(name).strip()
        if value:
            yield value.split(",")[-1].split()[0] if value.split(",")[-1].split() else ""


def _is_large(node: Node) -> bool:
    named = f"{node.get('class')} {node.get('alt')[:40]}"
    if _PLACEHOLDER.search(named) or _DECORATION.search(named):
        return False
    for side in ("width", "height"):
        match = _NUMBER.match(node.get(side))
        if match and int(match[0][:6]) < MIN_SIDE_PIXELS:
            return False
    return True


def _absolute(address: str, base: str) -> str | None:
    address = address.strip()
    if not address or address.startswith("data:"):
        return None
    try:
        found = canonical_form(address, base)
    except InvalidUrlError:
        return None
    # The host is not checked: it is the publisher's name, whatever words it contains.
    parts = urlsplit(found)
    return None if _PLACEHOLDER.search(f"{parts.path}?{unquote(parts.query)}") else found


def _is_decoration(address: str) -> bool:
    parts = urlsplit(address)
    return bool(_DECORATION.search(parts.path) or _DECORATION_HOST.search(parts.netloc))
