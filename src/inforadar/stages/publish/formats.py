"""The formats a feed is published in: one name, one media type, one renderer each."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from inforadar.stages.publish import atom, jsonfeed, rss
from inforadar.stages.publish.entry import ChannelInfo, Entry


class Format(StrEnum):
    """As addresses name them: `format=atom`, `….atom`."""

    RSS = "rss"
    ATOM = "atom"
    JSON = "json"

    @property
    def media_type(self) -> str:
        return {"rss": rss.MEDIA_TYPE, "atom": atom.MEDIA_TYPE, "json": jsonfeed.MEDIA_TYPE}[self]


def render_document(
    format_: Format, channel: ChannelInfo, entries: Iterable[Entry], *, embedded: bool = False
) -> str:
    match format_:
        case Format.RSS:
            return rss.render_rss(channel, entries, embedded=embedded).whole
        case Format.ATOM:
            return atom.render_atom(channel, entries, embedded=embedded)
        case Format.JSON:
            return jsonfeed.render_json_feed(channel, entries, embedded=embedded)
