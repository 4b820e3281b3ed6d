"""Finds the article's lead image: the one the publisher states, or the first in the text; never a logo or a pixel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from inforadar.stages.canonical.content.blocks import Block
from inforadar.stages.canonical.content.picture_sources import is_tracker, stated_picture
from inforadar.stages.canonical.metadata.head import Head


def find_image(head: Head, blocks: Iterable[Block], base: str) -> str | None:
    """Return the absolute URL of the article's image."""
    for address in _stated(head):
        found = stated_picture(address, base)
        if found and not is_tracker(found):
            return found
    return next((block.figure.pictures[0].src for block in blocks if block.figure), None)


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
