"""What is learned from posting times, and what is expected of it."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec
import pytest

from inforadar.model.rhythm import Rhythm
from inforadar.stages.rhythm.counts import learn
from inforadar.stages.rhythm.forecast import DAY_S, USUAL_RATE, Forecast, time_shares
from inforadar.stages.rhythm.plan import plan_next

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
NOW = MONDAY.timestamp()


def weekdays_at(
    hour: float, weeks: int, zone: ZoneInfo | None = None, before: datetime = MONDAY
) -> list[float]:
    """One item each weekday at this hour, for the weeks before a Monday."""
    start = (before - timedelta(weeks=weeks)).replace(tzinfo=zone or UTC)
    days = (start + timedelta(days=day, hours=hour) for day in range(7 * weeks))
    return [day.timestamp() for day in days if day.weekday() < 5]


def test_a_feed_that_nothing_is_known_of_is_polled_at_the_default_interval() -> None:
    rhythm = learn(None, [], NOW)
    price_s = USUAL_RATE * 3600**2 / 2
    plan = plan_next(Forecast(rhythm, NOW), price_s)
    assert 3000 <= plan.after_s <= 4200
    assert 20 <= plan.polls_per_day <= 28


def test_a_morning_paper_is_polled_in_the_morning() -> None:
    rhythm = learn(None, weekdays_at(7.5, 12), NOW)
    forecast = Forecast(rhythm, NOW)
    assert max(range(24), key=forecast.hours.__getitem__) == 7
    assert min(forecast.days[:5]) > 2 * max(forecast.days[5:])
    masses = forecast.masses(144, 600.0)
    assert sum(masses[42:54]) > 8 * sum(masses[84:96])
    plan = plan_next(forecast, 200.0)
    assert plan.expected_delay_s < 3600 * 3


def test_hours_are_those_of_the_feeds_zone_through_the_change_of_the_clocks() -> None:
    zone = ZoneInfo("Europe/Berlin")
    before = datetime(2026, 4, 27, tzinfo=UTC)  # the clocks went forward on 29 March
    rhythm = learn(None, weekdays_at(9, 12, zone, before), before.timestamp(), zone)
    assert max(range(24), key=rhythm.hours.__getitem__) == 9
    assert sum(rhythm.hours) == pytest.approx(rhythm.hours[9])
    masses = Forecast(rhythm, before.timestamp(), zone).masses(24, 3600.0)
    assert max(range(24), key=masses.__getitem__) == 7  # 9 o'clock in Berlin, summer time


def test_learning_item_by_item_or_in_parts_gives_the_same_rate_and_shapes() -> None:
    rng = random.Random(1)
    times = sorted(NOW - rng.random() * 40 * DAY_S for _ in range(37))
    at_once = learn(None, times, NOW)
    one_by_one: Rhythm | None = None
    for time in times:
        one_by_one = learn(one_by_one, [time], time)
    assert one_by_one is not None
    for name in ("recent", "long_run", "shaped", "hours", "days", "minutes", "gaps"):
        assert getattr(one_by_one, name) == pytest.approx(getattr(at_once, name), abs=0.02), name


def test_a_year_of_items_takes_a_few_hundred_bytes() -> None:
    rng = random.Random(2)
    rhythm = learn(None, [NOW - rng.random() * 365 * DAY_S for _ in range(2000)], NOW)
    stored = msgspec.json.encode(rhythm)
    assert len(stored) < 900
    assert msgspec.json.decode(stored, type=Rhythm) == rhythm


def test_a_burst_is_followed_closely() -> None:
    rng = random.Random(3)
    starts = [NOW - DAY_S * (2 * day + rng.random()) for day in range(1, 40)]
    times = [start - 300 * part for start in starts for part in range(5)]
    rhythm = learn(None, times, NOW)
    quiet, busy = Forecast(rhythm, NOW), Forecast(learn(rhythm, [NOW - 60], NOW), NOW)
    assert sum(busy.masses(6, 600.0)) > 3 * sum(quiet.masses(6, 600.0))


def test_a_quiet_feed_that_posts_again_is_noticed_within_its_old_rhythm() -> None:
    daily = [NOW - 200 * DAY_S - day * DAY_S for day in range(120)]
    rhythm = learn(None, daily, NOW - 200 * DAY_S)
    price_s = USUAL_RATE * 3600**2 / 2
    asleep = plan_next(Forecast(rhythm, NOW), price_s)
    assert asleep.after_s <= DAY_S / 4  # one item a day was its rhythm
    awake = plan_next(Forecast(learn(rhythm, [NOW - 3600], NOW), NOW), price_s)
    assert awake.polls_per_day > asleep.polls_per_day


def test_a_day_that_was_not_observed_yet_is_not_taken_for_a_day_without_items() -> None:
    """A busy feed that was added on a Monday morning posts on Tuesday, too, and in the afternoon."""
    monday = datetime(2026, 3, 2, 6, tzinfo=UTC).timestamp()
    rhythm = learn(None, [monday + 600 * number for number in range(36)], monday + 6 * 3600)
    young = Forecast(rhythm, monday + 6 * 3600)
    assert min(young.days) > 0.9
    assert min(young.hours[14:24]) > 0.9
    assert max(young.hours) < 1.5


def test_the_shares_of_a_time_in_a_cycle_sum_up_to_one() -> None:
    assert time_shares(1800.0, 7200.0, 24, 3600.0)[:4] == [0.25, 0.5, 0.25, 0.0]
    for start, seconds in ((0.0, 1.0), (5e8 + 0.3, 1e6), (1e9, 86400.0 * 7)):
        assert sum(time_shares(start, seconds, 7, 86400.0)) == pytest.approx(1)
