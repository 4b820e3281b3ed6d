"""Fair distribution: many feeds, one list, and the busiest feed does not drown the others."""

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
    """At most `limit` entries, distinct by URL, taken in rounds.

    In each round every feed gives the newest entry that it still has and whose URL nobody gave before; a
    feed that has none left sits out. Feeds are asked in the order of those entries, newest first; when
    two have the same URL, the one that dates it later gives it, the other gives its next one. The round's
    entries then follow one another newest first. The last round is cut where the limit is reached, so it
    keeps its newest. Equal dates keep the order of the feeds in the mapping, then of their entries.

    It follows that

    * at any cut of the list, a feed has at most one entry more than any other feed that still has
      something to give: no feed gets more than its share and one;
    * the entries of one feed are newest first;
    * nothing is left out while there is room: a shorter list than `limit` holds every URL.
    """
    # Reversed, so that the newest can be popped; with `reverse` equal dates stay in order.
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
