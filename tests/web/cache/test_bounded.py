"""Values that are kept until they no longer fit."""

from __future__ import annotations

from inforadar.web.cache.bounded import BoundedCache


def test_the_value_not_used_for_longest_goes_first() -> None:
    cache: BoundedCache[str, str] = BoundedCache(2)
    cache.put("a", "A")
    cache.put("b", "B")
    assert cache.get("a") == "A"
    cache.put("c", "C")
    assert [cache.get(key) for key in "abc"] == ["A", None, "C"]


def test_values_are_weighed_and_one_that_is_too_heavy_is_not_kept() -> None:
    cache: BoundedCache[str, bytes] = BoundedCache(1000, len)
    for key in "abc":
        cache.put(key, b"x" * 300)
    cache.put("a", b"x" * 400)
    assert [bool(cache.get(key)) for key in "abc"] == [True, True, True]
    cache.put("b", b"x" * 301)
    assert [bool(cache.get(key)) for key in "abc"] == [False, True, True]
    cache.put("d", b"x" * 1001)
    assert [bool(cache.get(key)) for key in "abcd"] == [False] * 4
    cache.put("a", b"x" * 1000)
    assert cache.get("a")


def test_useless_values_are_dropped_up_to_the_first_that_is_of_use() -> None:
    cache: BoundedCache[str, int] = BoundedCache(10, lambda value: value)
    for key, value in (("a", 1), ("b", 2), ("c", 6), ("d", 1)):
        cache.put(key, value)
    cache.drop_oldest_while(lambda value: value < 5)
    assert [cache.get(key) for key in "abcd"] == [None, None, 6, 1]
    cache.put("e", 3)
    assert cache.get("c") == 6
    cache.drop_oldest_while(lambda value: True)
    assert [cache.get(key) for key in "cde"] == [None] * 3
