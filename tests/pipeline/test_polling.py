"""Plans within their limits, and a price that meets the budget."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_options import FeedOptions
from inforadar.model.hints import ScheduleHints
from inforadar.model.http import Outcome
from inforadar.model.ids import LeaseToken, RunId, new_uuid
from inforadar.model.item import Listed, NewItem
from inforadar.model.rhythm import Polling, PollingMode, PollReason
from inforadar.model.schedule import FinishedJob, Lease, NextRun
from inforadar.pipeline.polling import RhythmPlanner, first_price, steered
from inforadar.pipeline.schedule import (
    MAX_INTERVAL_S,
    Repeat,
    SchedulePolicy,
    after_success,
    is_skipped,
    repeat_of,
)
from inforadar.stages.rhythm.counts import learn
from inforadar.stages.rhythm.forecast import DAY_S
from inforadar.store.feeds.rhythms import Demand
from inforadar.urls import url_hash
from tests.pipeline.test_schedule import NOW, a_feed, a_policy


def adaptive_policy(**changes: object) -> SchedulePolicy:
    return a_policy(polling_mode=PollingMode.ADAPTIVE, **changes)


def a_job(feed: Feed, next_run: NextRun) -> FinishedJob:
    lease = Lease(feed=feed, token=LeaseToken("t"), claimed_at=NOW, locked_until=NOW)
    return FinishedJob(
        lease=lease, run_id=RunId(new_uuid()), at=NOW, outcome=Outcome.SUCCESS, next_run=next_run
    )


def an_item(number: int, published_at: datetime | None) -> NewItem:
    url = f"https://example.com/{number}"
    return NewItem(url=url, hash=url_hash(url), listed=Listed(url=url, published_at=published_at))


def planned(policy: SchedulePolicy, feed: Feed, price_s: float = 100.0, **asked: object) -> NextRun:
    planner = RhythmPlanner(policy=policy, price_s=price_s)
    job = a_job(feed, after_success(feed, policy, NOW, **asked))  # type: ignore[arg-type]
    now, rng = NOW.timestamp(), random.Random(1)
    rhythm = learn(None, [now - 7200 - rng.random() * 30 * DAY_S for _ in range(180)], now)
    return planner.plan(job, [], rhythm).next_run


@settings(max_examples=120)
@given(
    dice=st.floats(0, 1),
    price_s=st.floats(0.001, 1e6),
    min_interval_s=st.floats(0, 86400),
    freshness_s=st.none() | st.floats(0, 1e7),
    hints=st.builds(
        ScheduleHints,
        ttl_s=st.none() | st.integers(0, 10**7),
        update_period_s=st.none() | st.integers(0, 10**7),
        skip_hours=st.frozensets(st.integers(0, 23)),
        skip_days=st.frozensets(st.integers(0, 6)),
    ),
    ages_h=st.lists(st.floats(0, 2000), max_size=30),
    is_first=st.booleans(),
)
def test_no_request_is_made_before_a_hint_allows_it(
    dice: float,
    price_s: float,
    min_interval_s: float,
    freshness_s: float | None,
    hints: ScheduleHints,
    ages_h: list[float],
    *,
    is_first: bool,
) -> None:
    policy = adaptive_policy(dice=lambda: dice, min_interval_s=min_interval_s)
    feed = a_feed(last_fetched_at=None if is_first else NOW - timedelta(hours=1))
    now = NOW.timestamp()
    rhythm = learn(None, [now - 3600 * age for age in ages_h], now)
    job = a_job(feed, after_success(feed, policy, NOW, freshness_s=freshness_s, hints=hints))
    found = RhythmPlanner(policy=policy, price_s=price_s).plan(job, [], rhythm).next_run
    asked = max(min_interval_s, freshness_s or 0.0, hints.ttl_s or 0.0, hints.update_period_s or 0.0)
    check_hints(found.after_s, min(asked, MAX_INTERVAL_S), hints)
    # The fixed interval keeps to the same.
    own_s = max(policy.success_interval_s, asked)
    check_hints(job.next_run.after_s, min(own_s, MAX_INTERVAL_S), hints)


def check_hints(after_s: float | None, at_least_s: float, hints: ScheduleHints) -> None:
    """Fail if a run is too early, in a skipped hour, or later than the cap although an hour before it is allowed."""
    assert after_s is not None
    assert after_s >= at_least_s
    if len(hints.skip_hours) == 24 or len(hints.skip_days) == 7:
        assert after_s <= MAX_INTERVAL_S
        return
    assert not is_skipped(NOW + timedelta(seconds=after_s), hints)
    if after_s > MAX_INTERVAL_S:
        # Each hour from the first possible time to the cap is skipped, and the run is at the next one that is not.
        hours = [at_least_s, *(at_least_s + 3600.0 * hour for hour in range(1, 24 * 7))]
        within = [*(hour for hour in hours if hour < MAX_INTERVAL_S), MAX_INTERVAL_S, after_s - 1]
        assert all(is_skipped(NOW + timedelta(seconds=hour), hints) for hour in within)


def test_the_cap_of_a_week_moves_to_the_next_hour_that_is_allowed() -> None:
    """An answer that is fresh for a month, and a feed that skips the hour in which the week ends."""
    hints = ScheduleHints(skip_hours=frozenset({NOW.hour, (NOW.hour + 1) % 24}))
    week = NOW + timedelta(seconds=MAX_INTERVAL_S)
    found = planned(adaptive_policy(), a_feed(last_fetched_at=NOW), freshness_s=1e7, hints=hints)
    assert found.after_s is not None
    at = NOW + timedelta(seconds=found.after_s)
    assert (at.minute, at.hour, at - week < timedelta(hours=2)) == (0, (NOW.hour + 2) % 24, True)


def test_the_only_hour_of_a_week_is_taken_although_the_plan_would_wait_for_longer() -> None:
    hour = NOW + timedelta(hours=3)
    hints = ScheduleHints(
        skip_hours=frozenset(range(24)) - {hour.hour}, skip_days=frozenset(range(7)) - {hour.weekday()}
    )
    found = planned(adaptive_policy(), a_feed(last_fetched_at=NOW), price_s=1e7, hints=hints)
    assert found.after_s is not None
    assert 2 * 3600 < found.after_s < 4 * 3600


def test_a_feed_is_polled_by_its_rhythm_and_says_so() -> None:
    found = planned(adaptive_policy(), a_feed(last_fetched_at=NOW))
    assert found.reason is PollReason.PLAN
    assert found.polling is not None
    assert found.polling.items_per_day == pytest.approx(6, rel=0.3)
    assert found.polling.polls_per_day > 12


def test_the_reason_names_who_asks_for_the_wait() -> None:
    policy, feed = adaptive_policy(), a_feed(last_fetched_at=NOW)
    assert planned(policy, feed, freshness_s=7 * 3600.0).reason is PollReason.FRESHNESS
    assert planned(policy, feed, hints=ScheduleHints(ttl_s=7 * 3600)).reason is PollReason.TTL
    assert planned(policy, feed, price_s=0.001).reason is PollReason.MINIMUM
    skips = ScheduleHints(skip_days=frozenset(range(6)))
    assert planned(policy, feed, hints=skips).reason is PollReason.SKIPPED_TIME


def test_pages_and_feeds_with_a_mode_of_their_own_keep_the_fixed_interval() -> None:
    policy = adaptive_policy()
    pages = a_feed(kind=FeedKind.PAGES, last_fetched_at=NOW)
    own = a_feed(options=FeedOptions(polling_mode=PollingMode.FIXED), last_fetched_at=NOW)
    for feed in (pages, own):
        found = planned(policy, feed)
        assert (found.after_s, found.polling, found.reason) == (3600, None, PollReason.INTERVAL)
    other = a_feed(options=FeedOptions(polling_mode=PollingMode.ADAPTIVE), last_fetched_at=NOW)
    assert planned(a_policy(), other).polling is not None


def test_a_whole_document_is_asked_for_less_often_and_daily_once_it_has_not_changed_for_a_week() -> None:
    policy, feed = adaptive_policy(), a_feed(last_fetched_at=NOW)
    usual = planned(policy, feed).polling
    whole = planned(policy, feed, repeat=Repeat(is_whole=True)).polling
    assert usual is not None
    assert whole is not None
    assert whole.polls_per_day < 0.7 * usual.polls_per_day
    still = planned(policy, feed, repeat=Repeat(is_whole=True, unchanged_s=8 * DAY_S))
    assert still.after_s is not None
    assert (still.after_s >= DAY_S, still.reason) == (True, PollReason.UNCHANGED)


def test_the_same_document_counts_as_whole_in_spite_of_its_validators() -> None:
    since = NOW - timedelta(days=9)
    feed = a_feed(body_digest="same", body_changed_at=since)
    judge = partial(repeat_of, feed, was_conditional=True, now=NOW)
    again = judge(digest="same", has_validators=True)
    assert (again.is_whole, again.unchanged_s) == (True, 9 * DAY_S)
    assert judge(digest="other", has_validators=True) == Repeat()
    assert judge(digest="other", has_validators=False) == Repeat(is_whole=True)


def test_the_same_document_is_no_repeat_if_it_was_asked_for_without_validators() -> None:
    feed = a_feed(body_digest="same", body_changed_at=NOW - timedelta(days=40))
    found = repeat_of(feed, digest="same", has_validators=True, was_conditional=False, now=NOW)
    assert found == Repeat()


def test_the_delay_of_items_posted_since_the_last_look_is_compared_with_the_plan() -> None:
    plan = Polling(polls_per_day=24, items_per_day=2, expected_delay_s=900)
    feed = a_feed(
        last_fetched_at=NOW - timedelta(hours=1), last_fetch_status=Outcome.SUCCESS, polling_plan=plan
    )
    added = [
        an_item(1, NOW - timedelta(minutes=10)),
        an_item(2, NOW - timedelta(minutes=30)),
        an_item(3, NOW - timedelta(days=3)),
        an_item(4, None),
    ]
    planner = RhythmPlanner(policy=adaptive_policy(), price_s=100.0)
    rhythm, delays = planner.learn(feed, added, NOW, None)
    assert (delays.timed, delays.delay_s, delays.expected_s) == (2, 2400, 1800)
    assert rhythm is not None
    assert rhythm.shaped == pytest.approx(4, abs=0.01)
    assert rhythm.since >= feed.last_fetched_at.timestamp()  # type: ignore[union-attr]
    assert planner.learn(feed, [], NOW, rhythm) == (None, type(delays)())


def test_an_archive_that_is_listed_as_new_does_not_pass_for_a_busy_day() -> None:
    feed = a_feed(last_fetched_at=NOW - timedelta(hours=1), last_fetch_status=Outcome.SUCCESS)
    archive = [an_item(number, NOW - timedelta(days=30)) for number in range(80)]
    planner = RhythmPlanner(policy=adaptive_policy(), price_s=100.0)
    rhythm, _ = planner.learn(feed, archive, NOW, None)
    assert rhythm is not None
    assert rhythm.shaped <= 5


def test_the_price_is_steered_until_the_plans_cost_the_budget() -> None:
    price_s, polls_each = first_price(3600.0), 0.0
    for _ in range(40):
        # Plans go with the inverse square root of the price, and half of the feeds replan between two steps.
        polls_each += 0.5 * (90.0 / price_s**0.5 - polls_each)
        demand = Demand(
            fixed=100,
            adaptive=900,
            unplanned=0,
            polls_per_day=900 * polls_each,
            items_per_day=1.0,
            expected_delay_s=0.0,
        )
        price_s = steered(price_s, demand, interval_s=3600.0, budget=None, now=NOW).price_s
    assert 900 * polls_each == pytest.approx(900 * 24 / 1.05, rel=0.02)
    price = steered(price_s, demand, interval_s=3600.0, budget=5000.0, now=NOW)
    assert price.budget == pytest.approx(5000 - 100 * 24 / 1.05)
    assert price.price_s > price_s
