"""Stories: what the outlets of the sample world write, and how it stands at a given moment.

Each story is a file under `articles/<outlet>/`, TOML front matter between two `+++` lines and a text in
a small Markdown. Its times are offsets from the epoch of the world ("-7d12h", "+8m"), so that the sample
is fresh whenever it is added. What is read from a file is a `Story`; what a reader sees at one moment,
with corrections made and counters grown, is an `Edition`.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

ARTICLES = Path(__file__).parent / "articles"

COUNTER_STEP = timedelta(minutes=10)
"""Counters stand still between two steps, so that asking twice in a row finds nothing changed."""

GROWTH = timedelta(hours=14)
"""After this time a counter has reached about two thirds of its final value."""

_CHANGEABLE = ("title", "snippet", "author", "tags")
_OFFSET = re.compile(r"([+-])(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """What readers did with a story; `None` where its outlet does not count that."""

    views: int | None = None
    comments: int | None = None
    rating: int | None = None
    bookmarks: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What the editors do to a story after its publication; `None` leaves a field as it was."""

    at: timedelta
    title: str | None = None
    snippet: str | None = None
    author: str | None = None
    tags: tuple[str, ...] | None = None
    append: str | None = None
    """Text put at the end: a correction, an update."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A story as it was first published, and all that will happen to it."""

    outlet: str
    slug: str
    language: str
    title: str
    snippet: str
    author: str
    tags: tuple[str, ...]
    body: str
    published: timedelta
    counters: Counters = Counters()
    """Where the counters end up."""
    changes: tuple[Change, ...] = ()

    @property
    def path(self) -> str:
        return f"/{self.outlet}/{self.slug}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """A story as it stands at one moment."""

    outlet: str
    slug: str
    path: str
    language: str
    title: str
    snippet: str
    author: str
    tags: tuple[str, ...]
    body: str
    published_at: datetime
    modified_at: datetime
    counters: Counters

    @property
    def was_changed(self) -> bool:
        return self.modified_at > self.published_at


def edition_at(story: Story, epoch: datetime, now: datetime) -> Edition | None:
    """The story at `now`, or nothing if it is not out yet."""
    published_at = epoch + story.published
    if now < published_at:
        return None
    done = [change for change in story.changes if epoch + change.at <= now]
    latest: dict[str, Any] = {name: getattr(story, name) for name in _CHANGEABLE}
    for change in done:
        latest |= {name: value for name in _CHANGEABLE if (value := getattr(change, name)) is not None}
    return Edition(
        outlet=story.outlet,
        slug=story.slug,
        path=story.path,
        language=story.language,
        body="\n\n".join([story.body, *(change.append for change in done if change.append)]),
        published_at=published_at,
        modified_at=epoch + done[-1].at if done else published_at,
        counters=_grown(story.counters, counter_step(now, epoch) - published_at),
        **latest,
    )


def counter_step(now: datetime, epoch: datetime) -> datetime:
    """When counters last moved."""
    return epoch + (now - epoch) // COUNTER_STEP * COUNTER_STEP


def _grown(final: Counters, age: timedelta) -> Counters:
    share = 1 - math.exp(-max(age, timedelta(0)) / GROWTH)

    def part(value: int | None) -> int | None:
        return None if value is None else round(value * share)

    return Counters(
        views=part(final.views),
        comments=part(final.comments),
        rating=part(final.rating),
        bookmarks=part(final.bookmarks),
    )


@cache
def load_stories() -> tuple[Story, ...]:
    """All stories that come with the package, oldest first."""
    files = ARTICLES.glob("*/*.md")
    stories = [parse_story(file.read_text("utf-8"), file.parent.name, file.stem) for file in files]
    return tuple(sorted(stories, key=lambda story: (story.published, story.outlet, story.slug)))


def parse_story(text: str, outlet: str, slug: str) -> Story:
    """A story from its file; refuses a field that it does not know, so that a typing error is seen."""
    _, front, body = text.split("+++\n", 2)
    fields: dict[str, Any] = tomllib.loads(front)
    changes = sorted((_change(one) for one in fields.pop("changes", ())), key=lambda change: change.at)
    return Story(
        outlet=outlet,
        slug=slug,
        body=body.strip(),
        published=parse_offset(fields.pop("published")),
        tags=tuple(fields.pop("tags")),
        counters=Counters(**fields.pop("counters", {})),
        changes=tuple(changes),
        **fields,
    )


def _change(fields: Mapping[str, Any]) -> Change:
    tags = fields.get("tags")
    read = {"at": parse_offset(fields["at"]), "tags": None if tags is None else tuple(tags)}
    return Change(**{**fields, **read})


def parse_offset(text: str) -> timedelta:
    """ "-7d12h" or "+8m" as a time span."""
    match = _OFFSET.fullmatch(text)
    if match is None or len(text) < 2:
        raise ValueError(f"{text!r} is no offset; write it like -7d12h or +8m")
    sign, days, hours, minutes = match.groups()
    span = timedelta(days=int(days or 0), hours=int(hours or 0), minutes=int(minutes or 0))
    return -span if sign == "-" else span
