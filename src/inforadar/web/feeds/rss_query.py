"""The query of `/rss`: `?url=…&format=atom&content=summary&max_score=0.5`. Pure; parsed queries are cached."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qs, quote

from inforadar.errors import InvalidUrlError, UsageError
from inforadar.model.feed_options import Content
from inforadar.short_cache import short_cache
from inforadar.stages.publish.formats import FORMATS, RSS, Format
from inforadar.stages.publish.shape import Titles
from inforadar.store.feeds.queries import feed_key

_YES, _NO = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}
MAX_FIELDS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class RssQuery:
    url: str
    key: str
    """The hash by which the feed is looked up."""
    format: Format = RSS
    embedded: bool = False
    content: Content | None = None
    """None: as much text as the feed publishes."""
    titles: Titles = Titles.NEUTRAL
    max_score: float | None = None

    @property
    def is_as_built(self) -> bool:
        """Whether `cached_feeds` stores exactly this document."""
        is_plain = not self.embedded and self.content is None and self.titles is Titles.NEUTRAL
        return self.format is RSS and is_plain and self.max_score is None

    def address(self, feed_url: str) -> str:
        """The path and query under which this document is served."""
        parts = [f"url={quote(feed_url, safe='')}"]
        if self.format is not RSS:
            parts.append(f"format={self.format.name}")
        if self.embedded:
            parts.append("embedded=1")
        if self.content is not None:
            parts.append(f"content={self.content}")
        if self.titles is not Titles.NEUTRAL:
            parts.append(f"titles={self.titles}")
        if self.max_score is not None:
            parts.append(f"max_score={self.max_score:g}")
        return f"/rss?{'&'.join(parts)}"


@short_cache(4096, max_length=1000)
def parse_rss_query(query_string: bytes) -> RssQuery:
    """Parse the query string; raise `UsageError` with a sentence if it is invalid."""
    try:
        given = parse_qs(query_string.decode("latin-1"), max_num_fields=MAX_FIELDS)
    except ValueError:
        raise UsageError(f"Too many parameters; the maximum is {MAX_FIELDS}.") from None
    asked = given.get("url", [""])[0]
    if not asked.strip():
        raise UsageError("The parameter url is missing. Example: /rss?url=https%3A%2F%2Fexample.com%2Ffeed")
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
        content=parse_content(given.get("content", [""])[0]),
        titles=parse_titles(given.get("titles", [""])[0]),
        max_score=None if score is None else parse_score(score),
    )


def parse_format(given: str) -> Format:
    name = given.strip().lower()
    if name and name not in FORMATS:
        raise UsageError(f"format must be one of {', '.join(FORMATS)}.")
    return FORMATS[name] if name else RSS


def parse_content(given: str) -> Content | None:
    name = given.strip().lower()
    if name and name not in set(Content):
        raise UsageError(f"content must be one of {', '.join(Content)}.")
    return Content(name) if name else None


def parse_titles(given: str) -> Titles:
    name = given.strip().lower() or Titles.NEUTRAL
    if name not in set(Titles):
        raise UsageError(f"titles must be one of {', '.join(Titles)}.")
    return Titles(name)


def parse_flag(name: str, given: str) -> bool:
    word = given.strip().lower()
    if word and word not in _YES | _NO:
        raise UsageError(f"{name} must be 1 or 0.")
    return word in _YES


def parse_score(given: str, name: str = "max_score") -> float:
    """Parse a score from 0 to 1, inclusive."""
    try:
        # Python also accepts "1_0" and digits of other scripts; here they are invalid.
        score = float(given) if given.isascii() and "_" not in given else -1.0
    except ValueError:
        score = -1.0
    if not 0 <= score <= 1:
        raise UsageError(f"{name} must be a number from 0 to 1.")
    return score
