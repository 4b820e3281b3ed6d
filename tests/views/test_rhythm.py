"""Why a feed is polled next at its time, in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from inforadar.model.rhythm import PollReason, Rhythm
from inforadar.stages.rhythm.counts import learn
from inforadar.views.rhythm import polling_sentence, week_lines, week_map
from tests.pipeline.test_schedule import a_feed

MONDAY = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)


def weekday_mornings(now: datetime) -> Rhythm:
    """The rhythm of a feed that posts at 7:30 or 8:30 UTC on weekdays."""
    days = [now - timedelta(days=day) for day in range(1, 120)]
    times = [
        day.replace(hour=7 + day.toordinal() % 2, minute=30).timestamp() for day in days if day.weekday() < 5
    ]
    return learn(None, times, now.timestamp())


def test_the_sentence_tells_habits_and_the_next_look() -> None:
    feed = a_feed(next_run_at=MONDAY.replace(hour=7, minute=10), reason=PollReason.PLAN)
    rhythm = weekday_mornings(MONDAY)
    said = polling_sentence(feed, rhythm, MONDAY)
    assert said.startswith("Usually posts on weekdays between 7 and 9; ")
    assert said.endswith("next look 07:10.")


def test_the_sentence_names_who_asks_for_the_wait() -> None:
    feed = a_feed(next_run_at=MONDAY + timedelta(days=1), reason=PollReason.TTL)
    said = polling_sentence(feed, learn(None, [], MONDAY.timestamp()), MONDAY)
    assert said == (
        "Too few items yet to know when it posts; next look Tuesday 01:00. "
        "The feed asks for that interval (ttl)."
    )
    assert polling_sentence(a_feed(enabled=False), None, MONDAY) == ""


def test_the_week_map_is_darkest_on_weekday_mornings() -> None:
    week = week_map(weekday_mornings(MONDAY), a_feed(), MONDAY)
    assert [len(day) for day in week] == [24] * 7
    assert max(max(day) for day in week) == 1
    assert max(week[5]) < 0.3
    lines = week_lines(week)
    assert (lines[0][:4], len(lines[0])) == ("Mon ", 28)
    assert "█" in "".join(lines[:5])
    assert "█" not in "".join(lines[5:])
    assert week_map(None, a_feed(), MONDAY) == []
