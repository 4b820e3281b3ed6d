"""A silence is judged by the feed's own rhythm."""

from __future__ import annotations

from inforadar.stages.rhythm.counts import learn
from inforadar.stages.rhythm.silence import is_unlikely_silence

HOUR, DAY = 3600.0, 86400.0
START = 1_770_000_000.0


def _hourly(days: int) -> list[float]:
    return [START + number * HOUR for number in range(days * 24)]


def test_a_feed_that_posts_hourly_is_silent_after_half_a_day() -> None:
    rhythm = learn(None, _hourly(30), START + 30 * DAY)
    last = rhythm.last_at or 0.0
    assert not is_unlikely_silence(rhythm, last + 2 * HOUR)
    assert is_unlikely_silence(rhythm, last + 20 * HOUR)


def test_a_feed_that_posts_on_workdays_may_be_silent_on_a_weekend() -> None:
    # 1 January 1970 was a Thursday.
    times = [
        day * DAY + hour * HOUR
        for day in range(int(START // DAY), int(START // DAY) + 84)
        if (day + 3) % 7 < 5
        for hour in range(8, 18)
    ]
    friday = max(time for time in times if (int(time // DAY) + 3) % 7 == 4)
    rhythm = learn(None, [time for time in times if time <= friday], friday)
    assert not is_unlikely_silence(rhythm, friday + 2.5 * DAY)
    assert is_unlikely_silence(rhythm, friday + 6 * DAY)


def test_nothing_is_said_about_a_feed_with_a_few_items() -> None:
    rhythm = learn(None, _hourly(1)[:5], START + DAY)
    assert not is_unlikely_silence(rhythm, START + 60 * DAY)
