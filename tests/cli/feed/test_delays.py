"""`inforadar feed delays`: how late news was seen each day, beside what was expected; and `feed show`'s week."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from inforadar.config import load_settings
from inforadar.model.rhythm import Delays, Polling, PollReason
from inforadar.store.database import Database, open_database
from inforadar.store.feeds.note_history import note_delays
from inforadar.store.feeds.rhythms import Price
from inforadar.store.feeds.save_rhythms import save_price, save_rhythms
from tests.cli.calling import Call
from tests.support.faces.newsroom import Newsroom
from tests.views.test_rhythm import weekday_mornings

NOW = datetime.now(UTC)
PRICE = Price(price_s=90.0, budget=2400.0, planned=2310.0, feeds=1200, expected_delay_s=600.0, steered_at=NOW)


@pytest.fixture
def delayed(home: Path) -> None:
    """Two items today, 10 and 20 minutes late and expected to be 12 minutes late; one of three weeks ago."""

    async def fill(database: Database) -> None:
        newsroom = Newsroom(database=database)
        feed = await newsroom.add_feed()
        await newsroom.fetched(
            feed,
            after_s=7200.0,
            reason=PollReason.PLAN,
            polling=Polling(polls_per_day=12.0, items_per_day=2.0, expected_delay_s=600.0),
        )
        await database.write(note_delays, feed.id, NOW, Delays(timed=2, delay_s=1800.0, expected_s=1440.0))
        old = NOW - timedelta(days=21)
        await database.write(note_delays, feed.id, old, Delays(timed=1, delay_s=60.0, expected_s=60.0))
        await database.write(save_price, PRICE, None)
        await database.write(save_rhythms, {feed.id: weekday_mornings(NOW)})

    async def run() -> None:
        async with open_database(load_settings(home).database_url) as database:
            await fill(database)

    asyncio.run(run())


@pytest.mark.usefixtures("delayed")
def test_delays_are_a_table_by_day_with_the_plan_below(call: Call) -> None:
    shown = call("feed", "delays")
    (row,) = [line for line in shown.out.splitlines() if line.startswith(f"{NOW:%Y-%m-%d}")]
    assert row.split() == [f"{NOW:%Y-%m-%d}", "1", "2", "15.0", "min", "12.0", "min"]
    assert f"{NOW - timedelta(days=21):%Y-%m-%d}" not in shown.out
    assert "1,200 feeds are polled by their rhythm: 2,310 requests a day are planned" in shown.out
    assert "2,400 are the budget, 10.0 min of delay are expected." in shown.out


@pytest.mark.usefixtures("delayed")
def test_delays_as_json_have_means_in_seconds_and_the_plan(call: Call) -> None:
    shown = call("feed", "delays", "--days", "30", "--json").json
    old, today = shown["days"]
    assert (old["timed"], old["fetches"], old["delay_s"]) == (1, 0, 60.0)
    assert today == {
        "day": f"{NOW:%Y-%m-%d}",
        "fetches": 1,
        "timed": 2,
        "delay_s": 900.0,
        "expected_delay_s": 720.0,
    }
    assert shown["plan"] == {
        "feeds": 1200,
        "budget": 2400.0,
        "planned": 2310.0,
        "price_s": 90.0,
        "expected_delay_s": 600.0,
    }


def test_delays_of_nothing_say_so(call: Call) -> None:
    assert call("feed", "delays").out == "No feed was fetched in that time.\n"
    assert call("feed", "delays", "--json").json == {"days": [], "plan": None}
    assert call("feed", "delays", "--days", "0").code == 2


@pytest.mark.usefixtures("delayed")
def test_a_shown_feed_says_why_this_time_and_draws_its_week(call: Call) -> None:
    shown = call("feed", "show", "https://news.example/feed").out
    assert "Usually posts on weekdays between " in shown
    assert "next look " in shown
    assert [line for line in shown.splitlines() if line.strip().startswith("Mon ") and "█" in line]
    document = call("feed", "show", "https://news.example/feed", "--json").json
    assert (document["next_run_reason"], document["polls_per_day"]) == ("plan", 12.0)
    assert [len(day) for day in document["week"]] == [24] * 7
