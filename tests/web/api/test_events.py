"""`/api/events`: a stream that resumes where it ended, and keeps matches private."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp
import pytest

from inforadar.actions.rules.manage import add_rule
from inforadar.config import Settings
from inforadar.model.person import FIRST_PERSON
from inforadar.model.rule import RuleActions
from tests.pipeline.notify.receiving import known_feed, notifier, publish
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.person import Person


async def read_events(
    web: aiohttp.ClientSession, number: int, headers: dict[str, str] | None = None, **query: str
) -> list[dict[str, Any]]:
    """The first events of the stream; `kind` is that of the message."""
    found: list[dict[str, Any]] = []
    async with asyncio.timeout(20), web.get("/api/events", params=query, headers=headers or {}) as response:
        assert response.status == 200, await response.text()
        assert response.content_type == "text/event-stream"
        kind = ""
        async for line in response.content:
            if line.startswith(b"event: "):
                kind = line[7:].strip().decode()
            if line.startswith(b"data: "):
                found.append(json.loads(line[6:]) | {"message": kind})
                if len(found) == number:
                    break
    return found


async def test_a_program_resumes_by_number_and_misses_nothing(
    newsroom: Newsroom, web: aiohttp.ClientSession, web_settings: Settings
) -> None:
    person = Person(web, web_settings)
    await person.log_in()
    database = newsroom.database
    await add_rule(database, FIRST_PERSON, "R", "two", RuleActions(notify=("screen",)))
    feed = await known_feed(database)
    async with notifier(database) as stage:
        await publish(database, feed, a="One\nevent: evil", b="Two <b>")
        await stage.run_once()
        first = await read_events(web, 3, since="0")
        assert [event["id"] for event in first] == [1, 2, 3]
        assert {event["kind"] for event in first} == {"item"}
        assert {event["item"]["title"] for event in first} >= {"One\nevent: evil", "Two <b>"}
        await publish(database, feed, a="One changed")
        await stage.run_once()
    (changed,) = await read_events(web, 1, headers={"Last-Event-ID": "3"}, kinds="change")
    assert changed["item"]["title"] == "One changed"
    (match,) = await read_events(web, 1, headers=person.headers, since="0", kinds="match")
    assert (match["rule"], match["title"]) == ("R", "Two <b>")
    assert "person_id" not in match
    strangers = await read_events(web, 4, since="0")
    assert "match" not in {event["kind"] for event in strangers}
    (reset,) = await read_events(web, 1, since="999")
    assert reset["message"] == "reset"


@pytest.mark.parametrize("query", [{"since": "x"}, {"kinds": "nonsense"}])
async def test_nonsense_is_refused(web: aiohttp.ClientSession, query: dict[str, str]) -> None:
    async with web.get("/api/events", params=query) as response:
        assert response.status == 400
