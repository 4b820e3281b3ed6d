"""When a feed runs again: tables and properties."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.model.feed import ErrorPolicy, Feed, FeedKind
from inforadar.model.hints import ScheduleHints
from inforadar.model.http import Failed, FailureReason, Outcome
from inforadar.model.ids import FeedId
from inforadar.pipeline.schedule import (
    MAX_BACKOFF_S,
    MAX_INTERVAL_S,
    SchedulePolicy,
    after_failure,
    after_success,
    backoff_s,
    confirm_move,
    is_check_due,
)

NOW = datetime(2026, 3, 2, 10, 30, tzinfo=UTC)  # a Monday


def a_feed(**changes: object) -> Feed:
    values = {
        "id": FeedId(UUID(int=1)),
        "url": "https://example.com/feed",
        "kind": FeedKind.FEED,
        "source": "example.com",
        "topic": "general",
        "root_domain": "example.com",
        "enabled": True,
        "polling": True,
        "enforce_feed_domain": True,
        "created_at": NOW,
    }
    return Feed(**(values | changes))  # type: ignore[arg-type]


def a_policy(**changes: object) -> SchedulePolicy:
    values = {
        "success_interval_s": 3600.0,
        "error_policy": ErrorPolicy.BACKOFF,
        "reprobe": False,
        "dice": lambda: 0.0,
    }
    return SchedulePolicy(**(values | changes))  # type: ignore[arg-type]


def a_failure(outcome: Outcome = Outcome.TEMPORARY_ERROR, **changes: object) -> Failed:
    values = {
        "url": "https://example.com/feed",
        "outcome": outcome,
        "reason": FailureReason.STATUS,
        "message": "example.com answered 500.",
        "fetched_at": NOW,
    }
    return Failed(**(values | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("freshness_s", "hints", "expected"),
    [
        (None, ScheduleHints(), 3600),
        (60, ScheduleHints(), 3600),
        (7200, ScheduleHints(), 7200),
        (None, ScheduleHints(ttl_s=10_800), 10_800),
        (None, ScheduleHints(update_period_s=86_400), 86_400),
        (7200, ScheduleHints(ttl_s=10_800, update_period_s=60), 10_800),
        (10**9, ScheduleHints(), MAX_INTERVAL_S),
    ],
)
def test_the_larger_of_our_interval_and_what_the_outside_asks_for_wins(
    freshness_s: float | None, hints: ScheduleHints, expected: float
) -> None:
    found = after_success(a_feed(), a_policy(), NOW, freshness_s=freshness_s, hints=hints)
    assert found.after_s == expected
    assert (found.failures, found.error) == (0, None)


def test_a_feed_that_does_not_poll_leaves_the_schedule_after_success() -> None:
    assert after_success(a_feed(polling=False), a_policy(), NOW).after_s is None


@given(dice=st.floats(0, 1))
def test_jitter_only_lengthens(dice: float) -> None:
    found = after_success(a_feed(last_fetched_at=NOW), a_policy(dice=lambda: dice), NOW)
    assert found.after_s is not None
    assert 3600 <= found.after_s <= 3600 * 1.1


def test_feeds_that_were_added_together_are_spread_over_their_whole_interval() -> None:
    found = [after_success(a_feed(), a_policy(dice=lambda d=d: d), NOW).after_s for d in (0.0, 0.5, 1.0)]
    assert found == [3600, 5400, 7200]


@given(
    dice=st.floats(0, 1),
    freshness_s=st.floats(0, 1e9),
    hints=st.builds(
        ScheduleHints,
        ttl_s=st.none() | st.integers(1, 10**9),
        update_period_s=st.none() | st.integers(1, 10**9),
    ),
)
def test_the_cap_of_seven_days_holds_with_jitter(
    dice: float, freshness_s: float, hints: ScheduleHints
) -> None:
    for fetched_at in (None, NOW):
        feed = a_feed(last_fetched_at=fetched_at)
        found = after_success(feed, a_policy(dice=lambda: dice), NOW, freshness_s=freshness_s, hints=hints)
        assert found.after_s is not None
        assert found.after_s <= MAX_INTERVAL_S


def test_a_move_is_believed_after_three_fetches_on_two_days() -> None:
    feed, new = a_feed(), "https://new.example/feed"
    for hours, times in ((0, 1), (1, 2), (2, 3), (3, 4)):
        moved_to, moving = confirm_move(feed, new, NOW + timedelta(hours=hours), 3)
        assert moved_to is None
        assert moving is not None
        assert (moving.times, moving.since) == (times, NOW)
        feed = a_feed(moving=moving)
    assert confirm_move(feed, new, NOW + timedelta(hours=14), 3) == (new, None)


def test_a_move_that_another_answer_interrupts_starts_over() -> None:
    _, moving = confirm_move(a_feed(), "https://a.example/", NOW, 3)
    assert confirm_move(a_feed(moving=moving), None, NOW, 3) == (None, None)
    _, other = confirm_move(a_feed(moving=moving), "https://b.example/", NOW + timedelta(days=2), 3)
    assert other is not None
    assert other.times == 1


def test_one_confirmation_is_enough_where_the_setting_says_so_but_encryption_is_never_given_up() -> None:
    assert confirm_move(a_feed(), "https://a.example/", NOW, 1) == ("https://a.example/", None)
    assert confirm_move(a_feed(), "http://a.example/", NOW, 1) == (None, None)
    plain = a_feed(url="http://example.com/feed")
    assert confirm_move(plain, "http://a.example/", NOW, 1) == ("http://a.example/", None)


@pytest.mark.parametrize(("days", "is_due"), [(29, False), (30, True)])
def test_after_thirty_days_of_304_the_validators_are_checked(days: int, *, is_due: bool) -> None:
    assert is_check_due(NOW - timedelta(days=days), NOW) is is_due
    assert not is_check_due(None, NOW)


def test_skipped_hours_and_days_are_waited_out() -> None:
    hints = ScheduleHints(skip_hours=frozenset({11, 12}), skip_days=frozenset({1}))
    found = after_success(a_feed(), a_policy(), NOW, hints=hints)
    # 11:30 is skipped, and so is 12; 13:00 on the same Monday is free.
    assert found.after_s == timedelta(hours=2, minutes=30).total_seconds()
    tuesday = after_success(a_feed(), a_policy(success_interval_s=14 * 3600), NOW, hints=hints)
    assert tuesday.after_s == timedelta(hours=37, minutes=30).total_seconds()


def test_a_feed_that_skips_every_hour_is_fetched_all_the_same() -> None:
    hints = ScheduleHints(skip_hours=frozenset(range(24)))
    assert after_success(a_feed(), a_policy(), NOW, hints=hints).after_s == 3600


@pytest.mark.parametrize(("failures", "minutes"), [(0, 5), (1, 10), (2, 20), (5, 160), (30, 24 * 60)])
def test_backoff_doubles_up_to_a_day(failures: int, minutes: int) -> None:
    found = after_failure(a_feed(failures=failures), a_policy(dice=lambda: 0.5), a_failure())
    assert found.after_s == minutes * 60
    assert found.failures == failures + 1
    assert found.error == "example.com answered 500."


@given(failures=st.integers(1, 10_000), dice=st.floats(0, 1))
def test_backoff_stays_within_ten_percent_of_its_steps(failures: int, dice: float) -> None:
    wait = backoff_s(failures, lambda: dice)
    assert 300 * 0.9 <= wait <= MAX_BACKOFF_S * 1.1


@pytest.mark.parametrize(
    ("asked", "expected"), [(7200.0, 7200), (10.0, 300), (None, 300), (10**9, MAX_INTERVAL_S)]
)
def test_retry_after_is_obeyed_unless_our_backoff_is_longer(asked: float | None, expected: float) -> None:
    found = after_failure(a_feed(), a_policy(dice=lambda: 0.5), a_failure(retry_after_s=asked, status=429))
    assert found.after_s == expected


@pytest.mark.parametrize("outcome", [Outcome.PERMANENT_ERROR, Outcome.UNAUTHORIZED])
def test_lasting_errors_leave_the_schedule(outcome: Outcome) -> None:
    assert after_failure(a_feed(), a_policy(), a_failure(outcome)).after_s is None


def test_with_reprobing_a_dead_feed_is_tried_weekly_but_a_gone_one_never() -> None:
    policy = a_policy(reprobe=True)
    assert (
        after_failure(a_feed(), policy, a_failure(Outcome.PERMANENT_ERROR, status=404)).after_s == 7 * 86400
    )
    assert after_failure(a_feed(), policy, a_failure(Outcome.PERMANENT_ERROR, status=410)).after_s is None


def test_one_strike_stops_at_any_error_globally_or_for_one_feed() -> None:
    strict = a_policy(error_policy=ErrorPolicy.ONE_STRIKE)
    assert after_failure(a_feed(), strict, a_failure()).after_s is None
    assert after_failure(a_feed(error_policy=ErrorPolicy.ONE_STRIKE), a_policy(), a_failure()).after_s is None
    assert after_failure(a_feed(error_policy=ErrorPolicy.BACKOFF), strict, a_failure()).after_s is not None


def test_a_hosts_turn_that_is_far_away_is_no_strike_and_is_waited_for() -> None:
    strict = a_policy(error_policy=ErrorPolicy.ONE_STRIKE)
    waiting = a_failure(reason=FailureReason.TURN, retry_after_s=86400.0)
    assert after_failure(a_feed(), strict, waiting).after_s == 86400.0
