from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from inforadar.model.feed import Feed
from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId, new_uuid
from inforadar.views.feed_health import HealthState, broken_words, feed_health

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SOON = NOW + timedelta(minutes=5)
AGO = NOW - timedelta(hours=3)
REFUSED = "news.example answered 503."


def feed(**fields: Any) -> Feed:
    given = {
        "id": FeedId(new_uuid()),
        "url": "https://news.example/feed",
        "kind": None,
        "source": "news.example",
        "topic": "general",
        "root_domain": None,
        "enabled": True,
        "polling": True,
        "enforce_feed_domain": True,
        "created_at": NOW,
    }
    return Feed(**given | fields)


@pytest.mark.parametrize(
    ("fields", "state", "words"),
    [
        ({}, HealthState.NEW, "Not fetched yet. Not scheduled"),
        ({"next_run_at": SOON}, HealthState.NEW, "Not fetched yet. Next in 5 minutes."),
        (
            {"last_fetch_status": Outcome.SUCCESS, "last_fetched_at": AGO, "next_run_at": SOON},
            HealthState.SUCCESS,
            "Fetched 3 hours ago. Next in 5 minutes.",
        ),
        (
            {
                "last_fetch_status": Outcome.TEMPORARY_ERROR,
                "last_error": REFUSED,
                "next_run_at": SOON,
                "failures": 3,
            },
            HealthState.WAITING,
            f"{REFUSED} It failed 3 times in a row. Trying again in 5 minutes.",
        ),
        (
            {"last_fetch_status": Outcome.TEMPORARY_ERROR, "last_error": REFUSED},
            HealthState.SUSPENDED,
            f"{REFUSED} Suspended. Revive it with `inforadar feed sync`.",
        ),
        (
            {"last_fetch_status": Outcome.PERMANENT_ERROR},
            HealthState.SUSPENDED,
            "The last fetch failed. Suspended.",
        ),
        (
            {"last_fetch_status": Outcome.UNAUTHORIZED, "last_error": REFUSED, "next_run_at": SOON},
            HealthState.SUSPENDED,
            f"{REFUSED} Suspended. Trying again in 5 minutes.",
        ),
        ({"enabled": False, "last_fetch_status": Outcome.SUCCESS}, HealthState.DISABLED, "Disabled"),
        ({"enabled": False, "locked_until": SOON}, HealthState.DISABLED, "Disabled"),
        ({"locked_until": SOON}, HealthState.NEW, "right now"),
        ({"locked_until": NOW, "requested_at": NOW}, HealthState.NEW, "a worker fetches it next"),
    ],
)
def test_health_follows_from_the_last_outcome_and_the_schedule(
    fields: dict[str, Any], state: HealthState, words: str
) -> None:
    health = feed_health(feed(**fields), NOW)
    assert health.state is state
    assert words in health.sentence


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1, "1 feed needs you"),
        (999, "999 feeds need you"),
        (1000, "1,000 or more feeds need you"),
    ],
)
def test_feeds_that_need_a_person_are_counted_up_to_a_thousand(count: int, words: str) -> None:
    assert broken_words(count) == words
