"""Rules and channels: a saved search with actions, and the ways out for its messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum
from typing import Any, NewType
from uuid import UUID

from inforadar.errors import UsageError
from inforadar.model.ids import ItemId
from inforadar.model.person import PersonId
from inforadar.model.zone import zone_named
from inforadar.translations import pgettext

RuleId = NewType("RuleId", UUID)
ChannelId = NewType("ChannelId", UUID)
DeliveryId = NewType("DeliveryId", UUID)

SCREEN = "screen"
"""The built-in channel: an open page and the terminal app of the rule's owner."""
MAX_NAME_CHARACTERS = 100
DEFAULT_LIMIT = 20
"""Messages that a channel gets in an hour at most; more matches are told together."""


class ChannelKind(StrEnum):
    WEBHOOK = "webhook"
    APPRISE = "apprise"


class DeliveryState(StrEnum):
    PENDING = "pending"
    SENT = "sent"
    DEAD = "dead"
    """Given up after the last attempt; it can be sent again by hand."""


class EventKind(StrEnum):
    ITEM = "item"
    CHANGE = "change"
    STORY = "story"
    ALERT = "alert"
    MATCH = "match"
    """A rule with the channel `screen` matched; only its owner is told."""


class RuleOrigin(StrEnum):
    PERSON = "person"
    SETTINGS = "settings"
    """From `inforadar.toml`; changed only there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleActions:
    """The actions on an item that matches."""

    star: bool = False
    archive: bool = False
    read: bool = False
    labels: tuple[str, ...] = ()
    notify: tuple[str, ...] = ()
    """Names of channels."""

    def __bool__(self) -> bool:
        return bool(self.star or self.archive or self.read or self.labels or self.notify)

    @property
    def marks(self) -> Mapping[str, bool]:
        given = {"starred": self.star, "archived": self.archive, "read": self.read}
        return {name: True for name, is_set in given.items() if is_set}

    @property
    def words(self) -> str:
        """For people: `star, label later, notify phone`."""
        parts = [pgettext("rule", name) for name in ("star", "archive", "read") if getattr(self, name)]
        parts += [pgettext("rule", "label %(label)s", label=label) for label in self.labels]
        return ", ".join([*parts, *(pgettext("rule", "notify %(name)s", name=name) for name in self.notify)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    id: RuleId
    person_id: PersonId
    name: str
    query: str
    actions: RuleActions
    on_change: bool
    """Whether an item whose title changes can match again."""
    origin: RuleOrigin
    created_at: datetime
    matched_at: datetime | None
    match_count: int
    error: str | None
    """Why an action failed last; None as long as all is well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quiet:
    """Hours in which nothing is sent, by the clock of `zone`."""

    start: time
    end: time
    zone: str

    def until(self, now: datetime) -> datetime | None:
        """When the quiet hours end that `now` is in; None if it is in none."""
        local = now.astimezone(zone_named(self.zone))
        at = local.time().replace(tzinfo=None)
        inside = self.start <= at < self.end if self.start <= self.end else at >= self.start or at < self.end
        return _next(local, self.end).astimezone(now.tzinfo) if inside else None

    def __str__(self) -> str:
        return f"{self.start:%H:%M}-{self.end:%H:%M}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """When matches are told together: `hourly`, `daily@08:00` or `weekly@mon@08:00`, by the clock of `zone`."""

    every: str
    at: time = time(8)
    weekday: int = 0
    zone: str = "UTC"

    def next(self, now: datetime) -> datetime:
        local = now.astimezone(zone_named(self.zone))
        if self.every == "hourly":
            due = local.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
        else:
            due = _next(local, self.at)
            while self.every == "weekly" and due.weekday() != self.weekday:
                due += timedelta(days=1)
        return due.astimezone(now.tzinfo)

    def __str__(self) -> str:
        if self.every == "hourly":
            return self.every
        day = f"{_DAYS[self.weekday]}@" if self.every == "weekly" else ""
        return f"{self.every}@{day}{self.at:%H:%M}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    id: ChannelId
    name: str
    kind: ChannelKind
    url: str
    """Contains secrets: shown only with a mask."""
    secret: str
    """The key by which webhooks are signed."""
    digest: Digest | None
    quiet: Quiet | None
    limit: int
    """Messages in an hour at most."""
    has_alerts: bool
    """Whether it is told about the health of feeds."""
    created_at: datetime
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A message on its way to a channel. Its id is the idempotency key: a receiver sees it again with each retry."""

    id: DeliveryId
    channel: Channel
    payload: Mapping[str, Any]
    created_at: datetime
    attempts: int
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One story, or one item that is in none, in a message."""

    item_id: ItemId
    title: str
    url: str
    source: str
    also_from: Sequence[str]
    score: float | None
    published_at: datetime


_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


def parse_digest(text: str, zone: str) -> Digest:
    """Read `hourly`, `daily@08:00` or `weekly@mon@08:00`; time and day may be left out."""
    every, *rest = text.strip().casefold().split("@")
    weekday = _DAYS.index(rest.pop(0)) if every == "weekly" and rest and rest[0] in _DAYS else 0
    at = _parse_clock(rest.pop(0)) if every in {"daily", "weekly"} and rest else time(8)
    if every not in {"hourly", "daily", "weekly"} or rest or at is None:
        raise UsageError(f"A digest is hourly, daily@08:00 or weekly@mon@08:00, not {text!r}.")
    return Digest(every=every, at=at, weekday=weekday, zone=_checked_zone(zone))


def parse_quiet(text: str, zone: str) -> Quiet:
    """Read `22:00-07:00`."""
    start, _, end = (part.strip() for part in text.partition("-"))
    first, last = _parse_clock(start), _parse_clock(end)
    if first is None or last is None or first == last:
        raise UsageError(f"Quiet hours look like 22:00-07:00, not {text!r}.")
    return Quiet(start=first, end=last, zone=_checked_zone(zone))


def _parse_clock(text: str) -> time | None:
    found = _CLOCK.fullmatch(text)
    return time(int(found[1]), int(found[2])) if found else None


def _checked_zone(zone: str) -> str:
    zone_named(zone)
    return zone


def _next(local: datetime, at: time) -> datetime:
    """The next time that the clock shows `at`."""
    today = local.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    return today if today > local else today + timedelta(days=1)
