"""Stories: what the outlets of the sample world publish, and how a story looks at a given time.

Each story is a file under `articles/<outlet>/`: TOML front matter between two `+++` lines, then text in a small
Markdown. Its times are offsets from the epoch of the world ("-7d12h", "+8m"), so that the sample is fresh whenever it
is added. A file is read into a `Story`. An `Edition` is the story as a reader sees it at one time, with its corrections
made and its counters grown.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

ARTICLES = Path(__file__).parent / "articles"

COUNTER_STEP = timedelta(minutes=10)
"""Counters change only at these steps, so that two requests in a row see no difference."""

GROWTH_TIME = timedelta(hours=14)
"""The time after which a counter has reached about two thirds of its final value."""

_CHANGEABLE = ("title", "snippet", "author", "tags")
_OFFSET = re.compile(r"([+-])(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """A story's counters; `None` if its outlet does not show one."""

    views: int | None = None
    comments: int | None = None
    rating: int | None = None
    bookmarks: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An edit after publication; `None` leaves a field unchanged."""

    at: timedelta
    title: str | None = None
    snippet: str | None = None
    author: str | None = None
    tags: tuple[str, ...] | None = None
    append: str | None = None
    """Text added at the end, such as a correction."""
    replace: tuple[tuple[str, str], ...] = ()
    """Passages of the text that are replaced, old and new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A story as first published, with all its later changes."""

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
    """The final values of the counters."""
    changes: tuple[Change, ...] = ()

    @property
    def path(self) -> str:
        return f"/{self.outlet}/{self.slug}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """A story as it looks at one time."""

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
    """Return the story as of `now`, or None if it is not published yet."""
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
        body=_body(story, done),
        published_at=published_at,
        modified_at=epoch + done[-1].at if done else published_at,
        counters=_grown(story.counters, counter_step(now, epoch) - published_at),
        **latest,
    )


def _body(story: Story, done: Sequence[Change]) -> str:
    """The text with its changes made, in order."""
    body = story.body
    for change in done:
        for old, new in change.replace:
            body = body.replace(old, new)
        if change.append:
            body = f"{body}\n\n{change.append}"
    return body


def counter_step(now: datetime, epoch: datetime) -> datetime:
    """Return the time of the last counter step."""
    return epoch + (now - epoch) // COUNTER_STEP * COUNTER_STEP


def _grown(final: Counters, age: timedelta) -> Counters:
    share = 1 - math.exp(-max(age, timedelta(0)) / GROWTH_TIME)

    def grown(value: int | None) -> int | None:
        return None if value is None else round(value * share)

    return Counters(
        views=grown(final.views),
        comments=grown(final.comments),
        rating=grown(final.rating),
        bookmarks=grown(final.bookmarks),
    )


@cache
def load_stories() -> tuple[Story, ...]:
    """Load all stories that come with the package, oldest first."""
    files = ARTICLES.glob("*/*.md")
    stories = [parse_story(file.read_text("utf-8"), file.parent.name, file.stem) for file in files]
    return tuple(sorted(stories, key=lambda story: (story.published, story.outlet, story.slug)))


def parse_story(text: str, outlet: str, slug: str) -> Story:
    """Parse a story file; unknown fields are refused, so that typing errors are noticed."""
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
    read = {
        "at": parse_offset(fields["at"]),
        "tags": None if tags is None else tuple(tags),
        "replace": tuple((old, new) for old, new in fields.get("replace", ())),
    }
    return Change(**{**fields, **read})


def parse_offset(text: str) -> timedelta:
    """Parse an offset such as "-7d12h" or "+8m"."""
    match = _OFFSET.fullmatch(text)
    if match is None or len(text) < 2:
        raise ValueError(f"{text!r} is not an offset; write it like -7d12h or +8m")
    sign, days, hours, minutes = match.groups()
    span = timedelta(days=int(days or 0), hours=int(hours or 0), minutes=int(minutes or 0))
    return -span if sign == "-" else span
