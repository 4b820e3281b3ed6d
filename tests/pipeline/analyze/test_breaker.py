"""Whose fault a failure was, and how long an endpoint is left alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from inforadar.pipeline.analyze.breaker import Breaker
from inforadar.stages.analyze.base import AnalysisFailed, FailureKind
from inforadar.stages.analyze.llm.endpoint import unanswered


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


def failed(kind: FailureKind = FailureKind.OUTAGE, retry_after_s: float | None = None) -> AnalysisFailed:
    return AnalysisFailed(kind=kind, message="It fell over.", retry_after_s=retry_after_s)


def test_three_failures_in_a_row_are_an_outage_and_say_why(clock: Clock) -> None:
    breaker = Breaker(clock)
    breaker.failed(failed())
    breaker.failed(failed())
    assert breaker.pause_s == 0
    breaker.failed(failed())
    assert breaker.pause_s == 60
    assert breaker.reason == "outage: It fell over."


def test_an_answer_between_them_ends_the_count(clock: Clock) -> None:
    breaker = Breaker(clock)
    for _ in range(5):
        breaker.failed(failed())
        breaker.failed(failed())
        breaker.answered()
    assert breaker.pause_s == 0


def test_an_item_is_blamed_only_right_after_an_answer(clock: Clock) -> None:
    breaker = Breaker(clock)
    assert not breaker.failed(failed()), "nothing is known of the endpoint yet"
    breaker.answered()
    assert breaker.failed(failed())
    assert not breaker.failed(failed())


@pytest.mark.parametrize("kind", [FailureKind.INVALID, FailureKind.REFUSED, FailureKind.TRUNCATED])
def test_a_bad_answer_is_an_answer(clock: Clock, kind: FailureKind) -> None:
    breaker = Breaker(clock)
    assert all(breaker.failed(failed(kind)) for _ in range(10))
    assert breaker.pause_s == 0


def test_each_pause_is_longer_up_to_half_an_hour_and_an_answer_ends_that(clock: Clock) -> None:
    breaker = Breaker(clock)
    pauses = []
    for _ in range(10):
        while breaker.pause_s == 0:
            breaker.failed(failed())
        pauses.append(breaker.pause_s)
        clock.time += timedelta(seconds=breaker.pause_s)
    assert pauses == [60, 120, 240, 480, 960, 1800, 1800, 1800, 1800, 1800]
    breaker.answered()
    for _ in range(3):
        breaker.failed(failed())
    assert breaker.pause_s == 60


def test_after_a_pause_one_failure_is_enough(clock: Clock) -> None:
    breaker = Breaker(clock)
    for _ in range(3):
        breaker.failed(failed())
    clock.time += timedelta(seconds=60)
    assert breaker.pause_s == 0
    breaker.failed(failed())
    assert breaker.pause_s == 120


def test_a_rate_limit_pauses_at_once_for_as_long_as_asked_and_blames_nobody(clock: Clock) -> None:
    breaker = Breaker(clock)
    breaker.answered()
    assert not breaker.failed(failed(FailureKind.RATE_LIMITED, 7.5))
    assert breaker.pause_s == 7.5
    clock.time += timedelta(seconds=8)
    breaker.failed(failed(FailureKind.RATE_LIMITED, 7.5))
    assert breaker.pause_s == 120, "its own delay was not enough"


def test_nobody_may_ask_for_more_than_a_day(clock: Clock) -> None:
    breaker = Breaker(clock)
    breaker.failed(failed(FailureKind.RATE_LIMITED, 1e12))
    assert breaker.pause_s == 86_400


def test_a_refused_key_pauses_at_once(clock: Clock) -> None:
    breaker = Breaker(clock)
    breaker.failed(failed(FailureKind.REJECTED))
    assert breaker.pause_s == 900


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "nan"}, None),
        ({"retry-after-ms": "infinity"}, None),
        ({"retry-after-ms": "много", "retry-after": "7"}, 7.0),
        ({"retry-after-ms": "nan", "retry-after": "7"}, 7.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "9" * 400}, None),
    ],
)
def test_a_delay_that_is_no_number_is_ignored(
    clock: Clock, headers: dict[str, str], wait_s: float | None
) -> None:
    asked = unanswered("модель", 429, "too fast", headers)
    assert asked.retry_after_s == wait_s
    breaker = Breaker(clock)
    breaker.failed(failed(FailureKind.RATE_LIMITED, asked.retry_after_s))
    assert breaker.pause_s == (wait_s or 60)
