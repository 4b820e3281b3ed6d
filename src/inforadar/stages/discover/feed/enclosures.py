"""The pictures and files of an entry, which publishers name in several places."""

from __future__ import annotations

import re
from dataclasses import replace

from inforadar.model.item import MAX_ENCLOSURES, Enclosure

_DURATION = re.compile(r"\d{1,7}(?::\d{1,2}){0,2}(?:\.\d+)?", re.ASCII)


class Media:
    """The pictures and files of one entry, as they are found."""

    __slots__ = ("description", "enclosures", "image", "views")

    def __init__(self) -> None:
        self.image: str | None = None
        self.enclosures: dict[str, Enclosure] = {}
        """By URL: publishers name the same file as enclosure and as media content."""
        self.views: int | None = None
        self.description: str | None = None

    def add(
        self,
        url: str,
        type_: str | None,
        length: int | None,
        duration: int | None = None,
        title: str | None = None,
    ) -> None:
        known = self.enclosures.get(url)
        if known is None and len(self.enclosures) >= MAX_ENCLOSURES:
            return
        self.enclosures[url] = Enclosure(
            url=url,
            type=(known and known.type) or (type_ or "").strip().lower() or None,
            length=(known and known.length) or length or None,
            duration=(known and known.duration) or duration,
            title=(known and known.title) or title or None,
        )

    def finished(self, duration: str | None) -> tuple[Enclosure, ...]:
        """All files; the duration that a podcast gives for its episode belongs to the first that can be played."""
        found = tuple(self.enclosures.values())
        seconds = parse_duration(duration)
        if seconds is None:
            return found
        played = next((one for one in found if (one.type or "").startswith(("audio/", "video/"))), found[0])
        return tuple(
            replace(one, duration=seconds) if one is played and not one.duration else one for one in found
        )


def parse_duration(text: str | None) -> int | None:
    """Seconds from `3723`, `62:03`, `1:02:03` or `3723.5`; None if it is none of them."""
    if not text or len(text) > 20 or not _DURATION.fullmatch(text := text.strip()):
        return None
    seconds = 0
    for part in text.partition(".")[0].split(":"):
        seconds = seconds * 60 + int(part)
    return seconds or None
