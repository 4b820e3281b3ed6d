"""Ids grow with time and never meet."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from uuid import RFC_4122

from inforadar.model.ids import new_uuid


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


def test_ids_do_not_meet() -> None:
    assert len({new_uuid() for _ in range(10_000)}) == 10_000
