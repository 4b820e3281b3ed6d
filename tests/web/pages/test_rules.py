"""The pages of rules, channels and alerts, and the feed of alerts."""

from __future__ import annotations

import aiohttp
import pytest

from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.model.person import FIRST_PERSON
from inforadar.pipeline.notify.health import HealthWatch
from inforadar.store.rules.queries import load_channels, load_rules
from tests.pipeline.notify.receiving import known_feed, publish
from tests.store.making import set_feed
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.person import Person

EVIL = '"><script>alert(1)</script>'


@pytest.fixture
async def person(web: aiohttp.ClientSession, web_settings: Settings) -> Person:
    person = Person(web, web_settings)
    await person.log_in()
    return person


async def test_rules_are_tried_added_and_removed_on_the_page(newsroom: Newsroom, person: Person) -> None:
    database = newsroom.database
    await publish(database, await known_feed(database), a=f"Ferry {EVIL}")
    tried = await person.post("/rules", do="try", query="ferry", name="R", star="1")
    assert tried.status == 200
    assert "would have matched 1 item" in tried.text
    assert "<script>alert" not in tried.text
    assert not await database.read(load_rules)
    assert (
        await person.post("/rules", do="add", query="ferry", name=f"R {EVIL}", star="1", label="sea")
    ).status == 303
    (rule,) = await database.read(load_rules, FIRST_PERSON)
    assert (rule.actions.star, rule.actions.labels) == (True, ("sea",))
    shown = (await person.get("/rules")).text
    assert "<script>alert" not in shown
    refused = await person.post("/rules", do="add", query="score:x", name="S", star="1")
    assert refused.status == 422
    assert "score: takes a range" in refused.text
    assert (await person.post("/rules", do="remove", name=rule.name)).status == 303
    assert not await database.read(load_rules)
    async with person.web.get("/rules") as response:
        assert response.status == 401


async def test_a_rule_that_matches_very_much_asks_before_it_notifies(
    newsroom: Newsroom, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inforadar.actions.rules.manage.MANY_MATCHES", 0)
    database = newsroom.database
    await publish(database, await known_feed(database), a="Ferry")
    wide = {"do": "add", "query": "ferry", "name": "R"}
    asked = await person.post("/rules", **wide, notify="screen")
    assert asked.status == 200
    assert "a lot to be notified about" in asked.text
    assert not await database.read(load_rules)
    assert (await person.post("/rules", **wide, notify="screen", sure="1")).status == 303
    assert (await person.post("/rules", **wide | {"name": "S"}, star="1")).status == 303
    assert len(await database.read(load_rules)) == 2


async def test_channels_are_for_admins_and_show_no_secret_twice(newsroom: Newsroom, person: Person) -> None:
    added = await person.post("/channels", do="add", name="hook", url="https://h.example/T0KEN")
    assert added.status == 200
    assert "whsec_" in added.text
    shown = (await person.get("/channels")).text
    assert "whsec_" not in shown
    assert "T0KEN" not in shown
    assert (await person.post("/channels", do="add", name="x", url="json://127.0.0.1")).status == 422
    private = await person.post("/channels", do="add", name="x", url="http://10.1.2.3/hook")
    assert private.status == 422
    assert "add 10.1.2.3:80 to FETCHER_ALLOWED_NETWORKS" in private.text
    assert (await person.post("/channels", do="remove", name="hook")).status == 303
    assert not await newsroom.database.read(load_channels)
    async with person.web.get("/channels") as response:
        assert response.status == 401


async def test_alerts_are_on_a_page_and_in_a_feed_until_they_are_silenced(
    newsroom: Newsroom, person: Person
) -> None:
    database = newsroom.database
    feed = await known_feed(database)
    await set_feed(database, feed, last_fetch_status="permanent_error", title=f"News {EVIL}")
    await HealthWatch(database=database, failures=5, hours=24, now=utc_now).run_once()
    async with person.web.get("/alerts", headers={"Accept-Encoding": "identity"}) as response:
        shown = await response.text()
    assert "gone" in shown
    assert "<script>alert" not in shown
    async with person.web.get("/feeds/alerts.json", headers={"Accept-Encoding": "identity"}) as response:
        document = await response.json(content_type=None)
    assert [item["title"] for item in document["items"]] == [f"News {EVIL} is gone"]
    async with person.web.get("/metrics", headers={"Accept-Encoding": "identity"}) as response:
        assert 'inforadar_alerts{kind="gone"} 1' in await response.text()
    assert (await person.post("/alerts", feed=str(feed.id), until="7d")).status == 303
    async with person.web.get("/feeds/alerts.json", headers={"Accept-Encoding": "identity"}) as response:
        assert (await response.json(content_type=None))["items"] == []
