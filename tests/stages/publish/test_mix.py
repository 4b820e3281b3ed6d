"""The promises in the docstring of `mix`."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from inforadar.stages.publish import mix

_START = datetime(2026, 1, 1, tzinfo=UTC)


class Piece(NamedTuple):
    feed: str
    url: str
    minute: int


def _mix(feeds: dict[str, list[Piece]], limit: int) -> list[Piece]:
    return mix(feeds, limit, lambda piece: piece.url, lambda piece: _START + timedelta(minutes=piece.minute))


def _feeds(shared: bool) -> st.SearchStrategy[dict[str, list[Piece]]]:
    pieces = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 20)), max_size=8)

    def build(listed: dict[str, list[tuple[int, int]]]) -> dict[str, list[Piece]]:
        return {
            feed: [Piece(feed, f"{'' if shared else feed}{url}", minute) for url, minute in values]
            for feed, values in listed.items()
        }

    return st.dictionaries(st.sampled_from("abcde"), pieces, max_size=5).map(build)


_any = st.booleans().flatmap(_feeds)
_limits = st.integers(-1, 45)


@given(_any, _limits)
def test_no_url_comes_twice(feeds: dict[str, list[Piece]], limit: int) -> None:
    mixed = [piece.url for piece in _mix(feeds, limit)]
    assert len(mixed) == len(set(mixed))


@given(_any, _limits)
def test_a_list_is_as_long_as_the_limit_or_holds_everything(
    feeds: dict[str, list[Piece]], limit: int
) -> None:
    urls = {piece.url for pieces in feeds.values() for piece in pieces}
    assert len(_mix(feeds, limit)) == max(0, min(limit, len(urls)))


@given(_any, _limits)
def test_a_feed_is_newest_first(feeds: dict[str, list[Piece]], limit: int) -> None:
    mixed = _mix(feeds, limit)
    for feed in feeds:
        minutes = [piece.minute for piece in mixed if piece.feed == feed]
        assert minutes == sorted(minutes, reverse=True)


@given(_any, _limits)
def test_no_feed_has_two_more_than_one_that_still_has_something_to_give(
    feeds: dict[str, list[Piece]], limit: int
) -> None:
    mixed = _mix(feeds, limit)
    for cut in range(len(mixed) + 1):
        taken = {piece.url for piece in mixed[:cut]}
        counts = Counter(dict.fromkeys(feeds, 0))
        counts.update(piece.feed for piece in mixed[:cut])
        # A URL that comes later in the list may be given by another feed: a feed has left only the URLs nobody gave.
        waiting = [feed for feed, pieces in feeds.items() if {p.url for p in pieces} - taken]
        given_later = {piece.url: piece.feed for piece in mixed[cut:]}
        for feed in waiting:
            own = {p.url for p in feeds[feed]} - taken
            if any(given_later.get(url, feed) == feed for url in own):
                assert max(counts.values()) <= counts[feed] + 1


@given(_any, _limits)
def test_a_shorter_list_is_the_beginning_of_a_longer_one(feeds: dict[str, list[Piece]], limit: int) -> None:
    assert _mix(feeds, limit) == _mix(feeds, limit + 5)[: max(limit, 0)]


@given(_any)
def test_the_order_inside_a_feed_does_not_matter(feeds: dict[str, list[Piece]]) -> None:
    dated = {feed: list({piece.minute: piece for piece in pieces}.values()) for feed, pieces in feeds.items()}
    turned = {feed: pieces[::-1] for feed, pieces in dated.items()}
    assert _mix(turned, 20) == _mix(dated, 20)


def test_a_busy_feed_does_not_drown_a_quiet_one() -> None:
    busy = [Piece("busy", f"b{minute}", 1000 + minute) for minute in range(100)]
    quiet = [Piece("quiet", f"q{minute}", minute) for minute in range(3)]
    mixed = _mix({"busy": busy, "quiet": quiet}, 7)
    assert [piece.url for piece in mixed] == ["b99", "q2", "b98", "q1", "b97", "q0", "b96"]


def test_a_round_is_newest_first() -> None:
    feeds = {"a": [Piece("a", "a1", 1)], "b": [Piece("b", "b3", 3)], "c": [Piece("c", "c2", 2)]}
    assert [piece.url for piece in _mix(feeds, 10)] == ["b3", "c2", "a1"]
    assert [piece.url for piece in _mix(feeds, 2)] == ["b3", "c2"]


def test_a_url_of_two_feeds_is_given_by_the_later_date_and_the_other_gives_its_next() -> None:
    feeds = {"a": [Piece("a", "x", 5), Piece("a", "y", 4)], "b": [Piece("b", "x", 9)]}
    assert _mix(feeds, 10) == [Piece("b", "x", 9), Piece("a", "y", 4)]


def test_a_feed_that_gives_its_next_takes_its_place_by_date() -> None:
    feeds = {
        "a": [Piece("a", "x", 9), Piece("a", "old", 1)],
        "b": [Piece("b", "x", 10)],
        "c": [Piece("c", "new", 5)],
    }
    assert [piece.url for piece in _mix(feeds, 10)] == ["x", "new", "old"]


def test_equal_dates_keep_the_order_they_were_given_in() -> None:
    feeds = {"b": [Piece("b", "b1", 1), Piece("b", "b2", 1)], "a": [Piece("a", "a1", 1), Piece("a", "a2", 1)]}
    assert [piece.url for piece in _mix(feeds, 10)] == ["b1", "a1", "b2", "a2"]


def test_nothing_gives_nothing() -> None:
    assert _mix({}, 10) == []
    assert _mix({"a": []}, 10) == []
