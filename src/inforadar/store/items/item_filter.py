"""The filter of a list of items, and its shape: which conditions it has, whatever their values.

Building the statement of a list takes longer than executing it. So it is built once for each shape, with the filter's
values as parameters, and kept. Words and names make conditions of their own: a filter that has any has no shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache, wraps
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, bindparam, not_

from inforadar.model.ids import FeedId, ItemId, RunId
from inforadar.model.person import PersonId
from inforadar.store.items.search import Search
from inforadar.store.types import one_of_given, unindexed

KEPT_STATEMENTS = 128
_ID, _TIME, _SCORE = UUID(int=0), datetime.min.replace(tzinfo=UTC), 0.0
_BLANKS: Mapping[str, Any] = {
    "feed_id": _ID,
    "run_id": _ID,
    "person_id": _ID,
    "added_since": _TIME,
    "unread_at": _TIME,
    "since": _TIME,
    "until": _TIME,
    "max_score": _SCORE,
    "min_score": _SCORE,
    "below_score": _SCORE,
}
"""The fields whose values are parameters, each with a value that stands for all others."""
_HIDDEN = "wanted_hidden"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemFilter:
    """Filter of a list, the same for the terminal, the web page and the command line."""

    sources: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    feed_id: FeedId | None = None
    run_id: RunId | None = None
    """Only items that this run added."""
    added_since: datetime | None = None
    max_score: float | None = None
    min_score: float | None = None
    below_score: float | None = None
    person_id: PersonId | None = None
    """Whose marks count and who hides feeds; nobody has marked or hidden anything."""
    unread: bool = False
    unread_at: datetime | None = None
    """With `unread`: the items that were unread at this time, so that a list does not shrink while it is read."""
    starred: bool = False
    archived: bool | None = None
    """None: both archived and not archived."""
    since: datetime | None = None
    until: datetime | None = None
    """Only items dated from `since` on, and before `until`."""
    query: str | None = None
    """A query in the search language (`model/search.py`)."""
    search: Search | None = None
    """The query as `with_known_names` read it."""
    by_story: bool = False
    """Of the items that tell of one event only the newest one; those of no story as they are."""
    hidden: tuple[FeedId, ...] = ()
    """The feeds that the person hides, from `with_known_names`; one that is asked for by `feed_id` is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPlace:
    """A place in a list, newest first."""

    published_at: datetime
    item_id: ItemId


def shape_of(wanted: ItemFilter) -> ItemFilter | None:
    """The filter with blank values, for building a statement and for finding it again; None if it has no shape."""
    if wanted.search is not None or wanted.sources or wanted.topics:
        return None
    blank = {name: value for name, value in _BLANKS.items() if getattr(wanted, name) is not None}
    return replace(wanted, query=None, hidden=(FeedId(_ID),) if wanted.hidden else (), **blank)


def for_each_shape(build: Callable[..., Select[Any]]) -> Callable[..., Select[Any]]:
    """Keep the statement that is built for a filter and some switches, for all filters of its shape."""
    kept = lru_cache(maxsize=KEPT_STATEMENTS)(build)

    @wraps(build)
    def find(wanted: ItemFilter, **switches: bool) -> Select[Any]:
        shape = shape_of(wanted)
        return build(wanted, **switches) if shape is None else kept(shape, **switches)

    return find


def values_of(wanted: ItemFilter) -> dict[str, Any]:
    """The parameters of a statement that was built for the shape of this filter."""
    given = ((name, getattr(wanted, name)) for name in _BLANKS)
    values = {f"wanted_{name}": value for name, value in given if value is not None}
    return values | {_HIDDEN: wanted.hidden} if wanted.hidden else values


def value_of(wanted: ItemFilter, name: str) -> ColumnElement[Any]:
    """A value of the filter as the parameter that `values_of` gives."""
    return bindparam(f"wanted_{name}", getattr(wanted, name))


def is_not_hidden(feed_id: ColumnElement[FeedId], hidden: Sequence[FeedId]) -> ColumnElement[bool]:
    return not_(one_of_given(unindexed(feed_id), _HIDDEN, hidden))
