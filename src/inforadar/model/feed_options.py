"""The options of a feed: settings that only one kind of feed or one feature needs, stored as one JSON object.

A struct and not columns, because most feeds have none of them. Unknown keys and values of the wrong type are kept as
they are: an edit by an older program, or by hand, must not lose what another version stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Any

import msgspec

from inforadar.errors import UsageError
from inforadar.model.rhythm import PollingMode


class Content(StrEnum):
    """How much of its items' texts a published feed carries."""

    FULL = "full"
    """The whole text: the article, or else what the feed itself gave."""
    SUMMARY = "summary"
    NONE = "none"
    """Title and link only."""


class RevisionMode(StrEnum):
    """Which articles of a feed are looked at again."""

    OFF = "off"
    STORIES = "stories"
    """Articles in stories of two or more outlets, starred ones, and those whose listing changed."""
    ALWAYS = "always"


_FROM_LESS_TO_MORE = (Content.NONE, Content.SUMMARY, Content.FULL)


def least_content(*given: Content) -> Content:
    return min(given, key=_FROM_LESS_TO_MORE.index)


class FeedOptions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, repr_omit_defaults=True):
    """Each field is a key of the stored JSON. None means not set: the settings or the feed itself decide."""

    title: str | None = None
    """The title that a person gave the feed; it replaces the document's own."""
    folders: tuple[str, ...] | None = None
    """The folders around the topic in the list that the feed was imported with, from the outside; for its export."""
    timezone: str | None = None
    """The time zone of dates that do not name one."""
    polling_mode: PollingMode | None = None
    """How its polls are timed."""
    epoch: str | None = None
    """When the sample was added; only its feeds have this."""
    was_enabled: bool | None = None
    """Whether the feed was enabled when it was deleted; only deleted feeds have this, for `feed restore`."""

    # Kind `pages`.
    cutoff_date: date | None = None
    """A walk takes no items older than this."""
    window_days: int | None = None
    """Items older than this many days get no metadata update."""
    selectors: Mapping[str, Any] | None = None
    """Selectors for the fields of a listing page, as `parse_selectors` takes them."""

    # Kind `sitemap`.
    include_patterns: str | tuple[str, ...] | None = None
    exclude_patterns: str | tuple[str, ...] | None = None
    newer_than: str | None = None
    max_age_days: int | float | None = None
    baseline_items: int | None = None
    fetch_titles: bool | None = None
    max_page_titles: int | None = None
    retry_failed_urls: bool | None = None
    max_history_days: int | float | None = None
    cleanup_interval_days: int | float | None = None

    # The analysis.
    analyze: bool | None = None
    """True: the feed is served with analyzed items only. False: its items are not analyzed."""
    analyzer: str | None = None
    model: str | None = None
    prompt: str | None = None

    # Publishing.
    content: Content | None = None
    """How much text the published feed carries; None: all, but a summary if the feed needs credentials."""

    # Revisions.
    revisions: RevisionMode | None = None
    """Which of its articles are looked at again for changes; None: those in stories, starred or listed anew."""

    # Retention.
    keep_days: int | None = None
    keep_items: int | None = None

    other: Mapping[str, Any] = {}
    """Stored values that fit no field: unknown keys, and known keys with a value of the wrong type."""

    def to_json(self) -> dict[str, Any]:
        """The JSON object as it is stored and shown, with only the keys that are set."""
        document: dict[str, Any] = msgspec.to_builtins(self)
        other = document.pop("other", {})
        lists = {name: list(value) for name, value in document.items() if isinstance(value, tuple)}
        return {**document, **lists, **other}

    def published_content(self, *, has_credentials: bool) -> Content:
        """How much text the published feed carries: what was paid for is not passed on unasked."""
        return self.content or (Content.SUMMARY if has_credentials else Content.FULL)

    def replaced(self, changes: Mapping[str, Any]) -> FeedOptions:
        """The options with these keys set; `None` removes one."""
        return parse_options({**self.to_json(), **changes})

    def check(self, *names: str) -> None:
        """Refuse options that were stored with a value of the wrong type."""
        for name in names:
            if name in self.other:
                raise UsageError(f"The option {name} cannot be used: {self.other[name]!r}.")


OPTION_NAMES = frozenset(FeedOptions.__struct_fields__) - {"other"}
NO_OPTIONS = FeedOptions()


def parse_options(stored: object) -> FeedOptions:
    """Parse options from JSON. Never fails: one odd value must not prevent loading a feed, or a batch of feeds."""
    if not stored or not isinstance(stored, Mapping):
        return NO_OPTIONS
    if OPTION_NAMES.issuperset(stored):
        try:
            return msgspec.convert(stored, FeedOptions)
        except msgspec.ValidationError:
            pass
    return _parse_odd(stored)


def _parse_odd(stored: Mapping[str, Any]) -> FeedOptions:
    """Parse value by value; put what fits no field into `other`."""
    fields: dict[str, Any] = {}
    other: dict[str, Any] = {}
    for name, value in stored.items():
        if value is None:
            continue
        if name not in OPTION_NAMES:
            other[name] = value
            continue
        try:
            read = msgspec.convert({name: value}, FeedOptions, strict=False)
        except msgspec.ValidationError:
            other[name] = value
        else:
            fields[name] = getattr(read, name)
    return FeedOptions(**fields, other=other)
