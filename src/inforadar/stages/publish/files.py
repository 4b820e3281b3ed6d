"""The files of an entry as feeds write them: a web address, a media type and numbers that can be true."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterable
from dataclasses import dataclass

from inforadar.model.item import Enclosure
from inforadar.stages.publish.addresses import web_address_or_none
from inforadar.stages.publish.text import one_line

UNKNOWN_TYPE = "application/octet-stream"

_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}")
_MEDIA = frozenset(("image", "audio", "video"))


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFile:
    """A file that readers can download or play."""

    url: str
    """Strict, not escaped."""
    type: str
    length: int | None
    duration_s: int | None
    title: str
    """On one line, clean, not escaped; may be empty."""

    @property
    def medium(self) -> str:
        """The kind of file as Media RSS names it: `image`, `audio`, `video`, else `document`."""
        kind = self.type.partition("/")[0]
        return kind if kind in _MEDIA else "document"


def published_files(enclosures: Iterable[Enclosure]) -> list[PublishedFile]:
    """Prepare the files of an entry, each address once; one without a web address is left out."""
    found: dict[str, PublishedFile] = {}
    for one in enclosures:
        if (address := web_address_or_none(one.url)) is not None and address not in found:
            found[address] = PublishedFile(
                url=address,
                type=media_type(one),
                length=one.length if one.length is not None and one.length > 0 else None,
                duration_s=one.duration if one.duration is not None and one.duration > 0 else None,
                title=one_line(one.title),
            )
    return list(found.values())


def media_type(enclosure: Enclosure) -> str:
    """The type as given, else what the address ends like, else that of any file."""
    given = (enclosure.type or "").partition(";")[0].strip().lower()
    if _TYPE.fullmatch(given):
        return given
    path = enclosure.url.partition("#")[0].partition("?")[0]
    return mimetypes.guess_type(path, strict=False)[0] or UNKNOWN_TYPE
