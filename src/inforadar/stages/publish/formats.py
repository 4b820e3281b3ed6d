"""The formats a feed is published in. To add one, write its renderer and add a line to `FORMATS`.

The values of `format=`, the endings of combined feeds (`….atom`) and the API description are derived from this dict.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from inforadar.stages.publish import atom, jsonfeed, rss
from inforadar.stages.publish.entry import ChannelInfo, Entry


class Render(Protocol):
    """Render a channel and its entries as one document."""

    def __call__(self, channel: ChannelInfo, entries: Iterable[Entry], *, embedded: bool = False) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Format:
    """One output format. Compared by identity, so it is a cheap cache key."""

    name: str
    """As URLs name it: `format=atom`, `….atom`."""
    media_type: str
    render: Render

    @property
    def content_type(self) -> str:
        return f"{self.media_type}; charset=utf-8"

    @property
    def is_json(self) -> bool:
        return self.media_type.endswith("json")


FORMATS: Final[dict[str, Format]] = {
    format_.name: format_
    for format_ in (
        Format(name="rss", media_type=rss.MEDIA_TYPE, render=rss.render_rss_text),
        Format(name="atom", media_type=atom.MEDIA_TYPE, render=atom.render_atom),
        Format(name="json", media_type=jsonfeed.MEDIA_TYPE, render=jsonfeed.render_json_feed),
    )
}

RSS: Final = FORMATS["rss"]
"""The default, and the only format that is stored when a feed is built."""
