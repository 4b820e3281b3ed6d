"""The first real image: what the publisher shows with the article, or the first in it; no logo, no pixel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from inforadar.errors import InvalidUrlError
from inforadar.stages.canonical.dom import Node
from inforadar.stages.canonical.head import Head
from inforadar.urls import canonical_form

_NOT_REAL = re.compile(
    r"logo|avatar|gravatar|icon|sprite|pixel|spacer|blank|placeholder|default[-_]?(?:image|og|share|thumb|social)"
    r"|1x1|tracking|beacon|badge|button|emoji|smil(?:ey|ie)|spinner|loading|advert|/ads?/|captcha|feedburner|doubleclick"
    r"|scorecardresearch|\.svg(?:$|\?)|transparent|site[-_]?image|fallback|headshot|profile",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
MIN_SIDE = 100
"""Smaller pictures are decoration."""
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-full-src", "data-hi-res-src", "src")


def find_image(head: Head, main: Node, base: str) -> str | None:
    for address in _stated(head):
        found = _absolute(address, base)
        if found:
            return found
    for node in main.descendants():
        if node.tag in ("img", "amp-img") and _is_large(node):
            for address in _sources(node):
                found = _absolute(address, base)
                if found:
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
    for name in _LAZY:
        value = node.get(name)
        if value:
            yield value
    for name in ("srcset", "data-srcset"):
        value = node.get(name).strip()
        if value:
            yield value.split(",")[-1].split()[0] if value.split(",")[-1].split() else ""


def _is_large(node: Node) -> bool:
    if _NOT_REAL.search(f"{node.get('class')} {node.get('alt')[:40]}"):
        return False
    for side in ("width", "height"):
        match = _NUMBER.match(node.get(side))
        if match and int(match[0][:6]) < MIN_SIDE:
            return False
    return True


def _absolute(address: str, base: str) -> str | None:
    address = address.strip()
    if not address or address.startswith("data:") or _NOT_REAL.search(address):
        return None
    try:
        return canonical_form(address, base)
    except InvalidUrlError:
        return None
