"""Fair distribution: several feeds in one list, in which the busiest does not drown out the others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def mix(
    entries_by_feed: Mapping[K, Sequence[T]],
    limit: int,
    url_of: Callable[[T], str],
    published_of: Callable[[T], datetime],
) -> list[T]:
    """Take at most `limit` entries, distinct by URL, in rounds.

    In each round every feed gives its newest remaining entry whose URL was not taken yet; a feed without one
    sits out. Feeds take turns in the order of those entries, newest first. When two feeds have the same URL,
    the one with the later date gives it, and the other gives its next entry. The entries of a round are sorted
    newest first. The last round is cut at the limit and keeps its newest. Equal dates keep the order of the
    feeds in the mapping, then of their entries.

    Therefore:

    * at any point of the list, a feed has at most one entry more than any other feed that still has entries
      to give: no feed gets more than its share plus one;
    * the entries of one feed are newest first;
    * nothing is left out while there is room: a list shorter than `limit` contains every URL.
    """
    # Newest last, to be popped; sorting with `reverse=True` keeps the order of equal dates.
    waiting = [sorted(entries, key=published_of, reverse=True)[::-1] for entries in entries_by_feed.values()]
    taken: set[str] = set()
    mixed: list[T] = []
    while len(mixed) < limit:
        for entries in waiting:
            _drop_taken(entries, taken, url_of)
        waiting = [entries for entries in waiting if entries]
        if not waiting:
            break
        round_: list[T] = []
        for entries in sorted(waiting, key=lambda entries: published_of(entries[-1]), reverse=True):
            _drop_taken(entries, taken, url_of)
            if entries:
                entry = entries.pop()
                taken.add(url_of(entry))
                round_.append(entry)
        round_.sort(key=published_of, reverse=True)
        mixed.extend(round_)
    return mixed[: max(limit, 0)]


def _drop_taken(newest_last: list[T], taken: set[str], url_of: Callable[[T], str]) -> None:
    while newest_last and url_of(newest_last[-1]) in taken:
        newest_last.pop()
