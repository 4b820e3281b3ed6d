"""Ids grow with time and never meet."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from uuid import RFC_4122

from inforadar.model.ids import new_uuid, new_uuids


def test_an_id_is_a_uuid_of_version_7() -> None:
    for _ in range(100):
        made = new_uuid()
        assert (made.version, made.variant) == (7, RFC_4122)


def test_an_id_begins_with_the_time_in_milliseconds() -> None:
    before = time.time_ns() // 1_000_000
    milliseconds = new_uuid().int >> 80
    assert before <= milliseconds <= time.time_ns() // 1_000_000
    assert datetime.fromtimestamp(milliseconds / 1000, UTC).year >= 2025


def test_ids_made_one_after_the_other_are_in_that_order() -> None:
    made = []
    for _ in range(200):
        made.append(new_uuid())
        tick = time.time_ns()
        while time.time_ns() - tick < 500:  # two steps of the fraction
            pass
    assert made == sorted(made)


def test_ids_made_together_are_ascending_and_of_now() -> None:
    before = time.time_ns() // 1_000_000
    made = new_uuids(10_000)
    assert made == sorted(set(made))
    assert {(one.version, one.variant) for one in made} == {(7, RFC_4122)}
    first, last = made[0].int >> 80, made[-1].int >> 80
    assert before <= first <= time.time_ns() // 1_000_000
    assert last - first in {2, 3}, "one for each 4096th of a millisecond"
    assert new_uuids(0) == []


def test_ids_do_not_meet() -> None:
    assert len({new_uuid() for _ in range(10_000)}) == 10_000
    assert len({*new_uuids(10_000), *new_uuids(10_000)}) == 20_000
