"""What `/rss` is asked for: `?url=…&format=atom&embedded=1&max_score=0.5`. Pure, and remembered."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import parse_qs, quote

from inforadar.errors import InvalidUrlError, UsageError
from inforadar.stages.publish.formats import FORMATS, RSS, Format
from inforadar.store.feeds.queries import feed_key

_YES, _NO = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}
MAX_FIELDS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class RssQuery:
    url: str
    key: str
    """The hash that the feed is found by."""
    format: Format = RSS
    embedded: bool = False
    max_score: float | None = None

    @property
    def is_as_built(self) -> bool:
        """Whether `cached_feeds` has this very document."""
        return self.format is RSS and not self.embedded and self.max_score is None

    def address(self, feed_url: str) -> str:
        """Where this document is served, without the server."""
        parts = [f"url={quote(feed_url, safe='')}"]
        if self.format is not RSS:
            parts.append(f"format={self.format.name}")
        if self.embedded:
            parts.append("embedded=1")
        if self.max_score is not None:
            parts.append(f"max_score={self.max_score:g}")
        return f"/rss?{'&'.join(parts)}"


@lru_cache(maxsize=4096)
def parse_rss_query(query_string: bytes) -> RssQuery:
    """What cannot be meant is a `UsageError` with a sentence."""
    try:
        given = parse_qs(query_string.decode("latin-1"), max_num_fields=MAX_FIELDS)
    except ValueError:
        raise UsageError(f"That are more than {MAX_FIELDS} parameters.") from None
    asked = given.get("url", [""])[0]
    if not asked.strip():
        raise UsageError("Say which feed: /rss?url=https%3A%2F%2Fexample.com%2Ffeed")
    try:
        url, key = feed_key(asked)
    except InvalidUrlError as fault:
        raise UsageError(f"{fault} If it has a query of its own, percent-encode it.") from None
    score = given.get("max_score", [None])[0]
    return RssQuery(
        url=url,
        key=key,
        format=parse_format(given.get("format", [""])[0]),
        embedded=parse_flag("embedded", given.get("embedded", [""])[0]),
        max_score=None if score is None else parse_score(score),
    )


def parse_format(given: str) -> Format:
    name = given.strip().lower()
    if name and name not in FORMATS:
        raise UsageError(f"The format is one of {', '.join(FORMATS)}.")
    return FORMATS[name] if name else RSS


def parse_flag(name: str, given: str) -> bool:
    word = given.strip().lower()
    if word and word not in _YES | _NO:
        raise UsageError(f"{name} is 1 or 0.")
    return word in _YES


def parse_score(given: str, name: str = "max_score") -> float:
    """From 0 to 1, both of which are scores."""
    try:
        # No "1_0", no digits of other scripts: what the number is must be plain to everybody.
        score = float(given) if given.isascii() and "_" not in given else -1.0
    except ValueError:
        score = -1.0
    if not 0 <= score <= 1:
        raise UsageError(f"{name} is a number from 0 to 1.")
    return score
