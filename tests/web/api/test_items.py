"""`/api/items` and the state of things: feeds, runs with their events, statistics."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import aiohttp
import pytest
from starlette.requests import Request
from starlette.responses import StreamingResponse

from inforadar.config import Settings
from inforadar.model.article import Extracted
from inforadar.model.http import Outcome
from inforadar.model.item import Listed, NewItem
from inforadar.model.person import FIRST_PERSON
from inforadar.model.progress import Progress, ProgressKind
from inforadar.model.run import RunKind
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.feeds.changes import update_feed
from inforadar.store.items.queries import list_items
from inforadar.store.items.save import FeedItems, insert_items
from inforadar.store.people.save_marks import save_marks
from inforadar.store.runs.save import finish_run, insert_run, save_events
from inforadar.urls import url_hash
from inforadar.web.api import run_events
from inforadar.web.api.status import UNREAD_DAYS
from inforadar.web.http.admin_token import load_admin_token
from tests.support.faces.newsroom import Newsroom

NOW = datetime.now(UTC)


async def ask(web: aiohttp.ClientSession, path: str, **query: str) -> Any:
    """The answer to the first admin, whose marks these are."""
    headers = {"Accept-Encoding": "identity", **web.headers}
    async with web.get(path, params=query, headers=headers) as response:
        assert response.status == 200, await response.text()
        assert response.headers["Content-Type"] == "application/json"
        return await response.json()


async def urls(web: aiohttp.ClientSession, **query: str) -> list[str]:
    return [item["url"][-1] for item in (await ask(web, "/api/items", **query))["items"]]


@pytest.fixture(autouse=True)
def as_admin(web: aiohttp.ClientSession, web_settings: Settings) -> None:
    web.headers["Authorization"] = f"Bearer {load_admin_token(web_settings.home)}"


@pytest.fixture
async def world(newsroom: Newsroom) -> Newsroom:
    one = await newsroom.add_feed("https://one.example/feed", source="One", topic="a")
    two = await newsroom.add_feed("https://two.example/feed", source="Two", topic="b")
    for number in range(6):
        feed = two if number % 2 else one
        at = NOW - timedelta(hours=number)
        title = f"Заголовок {'even' if number % 2 == 0 else 'odd'}"
        await newsroom.add_item(feed, f"https://x.example/{number}", title=title, published_at=at)
    await newsroom.analyze({"https://x.example/1": 0.2, "https://x.example/2": 0.8})
    await SearchIndexer(database=newsroom.database).run_once()
    return newsroom


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, "012345"),
        ({"source": "one"}, "024"),
        ({"topic": "B"}, "135"),
        ({"source": "One", "topic": "b"}, ""),
        ({"max_score": "0.5"}, "1"),
        ({"min_score": "0.5"}, "2"),
        ({"min_score": "0.2", "max_score": "0.8"}, "12"),
        ({"run": "019a8f5e-0000-7000-8000-000000000000"}, ""),
        ({"q": "odd заголовок"}, "135"),
        ({"q": "odd", "source": "One"}, ""),
        ({"q": "' OR 1=1"}, ""),
        ({"unread": "1"}, "12345"),
        ({"starred": "1"}, "3"),
        ({"archived": "1"}, "5"),
        ({"archived": "0"}, "01234"),
        ({"unread": "1", "topic": "a"}, "24"),
        ({"feed": "019a8f5e-0000-7000-8000-000000000000"}, ""),
    ],
)
async def test_filters_and_search(
    world: Newsroom, web: aiohttp.ClientSession, query: dict[str, str], expected: str
) -> None:
    for number, mark in ((0, "read"), (3, "starred"), (5, "archived")):
        await world.database.write(save_marks, FIRST_PERSON, f"https://x.example/{number}", {mark: True}, NOW)
    assert "".join(await urls(web, **query)) == expected


@pytest.mark.parametrize("query", [{}, {"source": "One"}, {"q": "заголовок"}])
async def test_pages_follow_one_another_without_gap_or_double(
    world: Newsroom, web: aiohttp.ClientSession, query: dict[str, str]
) -> None:
    whole = await urls(web, **query)
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = await ask(web, "/api/items", limit="2", **query, **cursor)
        seen += [item["url"][-1] for item in page["items"]]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    assert seen == whole


@pytest.mark.parametrize(
    "query",
    [
        "cursor=x",
        "cursor=1.2",
        "cursor=s1",
        "q=a&cursor=1.2",
        "limit=-1",
        "feed=x",
        "unread=2",
        "max_score=-1",
    ],
)
async def test_a_wrong_parameter_is_said_so(world: Newsroom, web: aiohttp.ClientSession, query: str) -> None:
    async with web.get(f"/api/items?{query}") as response:
        assert response.status == 400
        assert (await response.json())["error"]


async def test_feeds_come_with_their_health(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    feed = await newsroom.add_feed()
    await newsroom.fetched(feed, Outcome.PERMANENT_ERROR, error="It answered 404.", failures=1)
    (found,) = (await ask(web, "/api/feeds"))["feeds"]
    assert (found["id"], found["health"]) == (str(feed.id), "suspended")
    assert found["health_sentence"].startswith("It answered 404. Suspended.")


async def test_runs_tell_what_they_changed(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    run_id = await newsroom.database.write(insert_run, RunKind.FETCH, NOW)
    await newsroom.database.write(finish_run, run_id, NOW, errors=2)
    (listed,) = (await ask(web, "/api/runs"))["runs"]
    shown = await ask(web, f"/api/runs/{run_id}")
    assert (listed["run_id"], shown["errors_count"], shown["added_articles"]) == (str(run_id), 2, [])
    for path in (f"/api/runs/{uuid4()}", f"/api/runs/{uuid4()}/events", "/api/runs/x"):
        async with web.get(path) as response:
            assert response.status == 404
            assert (await response.json())["error"]


async def test_a_run_is_followed_live_to_its_end(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    run_id = await newsroom.database.write(insert_run, RunKind.FETCH, NOW)

    async def tell(seq: int, text: str) -> None:
        event = Progress(run_id=run_id, at=NOW, kind=ProgressKind.LINE, text=text)
        await newsroom.database.write(save_events, run_id, seq, [event])

    await tell(0, "missed")
    await tell(1, "one\n\ndata: forged")
    headers = {"Last-Event-ID": "0"}
    async with web.get(f"/api/runs/{run_id}/events", headers=headers) as response:
        assert response.headers["Content-Type"].startswith("text/event-stream")
        first = await asyncio.wait_for(response.content.readuntil(b"\n\n"), 5)
        assert first.startswith(b"id: 1\nevent: progress\ndata: {")
        assert json.loads(first.split(b"data: ", 1)[1])["text"] == "one\n\ndata: forged"
        await tell(2, "二")
        second = await asyncio.wait_for(response.content.readuntil(b"\n\n"), 5)
        assert json.loads(second.split(b"data: ", 1)[1])["text"] == "二"
        await newsroom.database.write(finish_run, run_id, NOW)
        rest = await asyncio.wait_for(response.content.read(), 5)
        assert rest == b"event: end\ndata: {}\n\n"


async def test_what_a_run_tells_just_after_its_end_is_heard(newsroom: Newsroom) -> None:
    run_id = await newsroom.database.write(insert_run, RunKind.FETCH, NOW)
    late = [(0, ProgressKind.LINE, "3 added"), (1, ProgressKind.FINISHED, "")]

    async def sleep(_: float) -> None:
        for seq, kind, text in late:
            event = Progress(run_id=run_id, at=NOW, kind=kind, text=text)
            await newsroom.database.write(save_events, run_id, seq, [event])
        late.clear()

    await newsroom.database.write(finish_run, run_id, datetime.now(UTC) + timedelta(minutes=1))
    scope = {"type": "http", "method": "GET", "headers": [], "query_string": b""}
    scope |= {"path_params": {"id": str(run_id)}}
    response = await run_events.RunEvents(database=newsroom.database, sleep=sleep).stream(Request(scope))
    assert isinstance(response, StreamingResponse)
    parts = [bytes(part) async for part in response.body_iterator]
    told = [part for part in parts if not part.startswith(b":")]
    assert b"3 added" in told[0]
    assert told[-1] == b"event: end\ndata: {}\n\n"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_a_run_that_says_nothing_yet_answers_at_once(
    newsroom: Newsroom, web: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(run_events, "KEEPALIVE_S", 1e9)
    run_id = await newsroom.database.write(insert_run, RunKind.FETCH, NOW)
    async with (
        asyncio.timeout(30),
        web.request(method, f"/api/runs/{run_id}/events") as response,
    ):
        assert response.status == 200
        assert response.headers["Content-Type"].startswith("text/event-stream")
        assert "Content-Length" not in response.headers
        await newsroom.database.write(finish_run, run_id, NOW)
        assert await response.content.read() == (b"event: end\ndata: {}\n\n" if method == "GET" else b"")


async def test_asking_for_the_headers_of_a_run_reads_no_events(newsroom: Newsroom) -> None:
    run_id = await newsroom.database.write(insert_run, RunKind.FETCH, NOW)
    await newsroom.database.write(finish_run, run_id, NOW)
    scope = {"type": "http", "headers": [], "query_string": b"", "path_params": {"id": str(run_id)}}
    read = {}
    for method in ("HEAD", "GET"):
        response = await run_events.RunEvents(database=newsroom.database).stream(
            Request({**scope, "method": method})
        )
        assert isinstance(response, StreamingResponse)
        read[method] = [part async for part in response.body_iterator]
    assert read == {"HEAD": [], "GET": [b"event: end\ndata: {}\n\n"]}


async def test_statistics_count_days_scores_and_failures(world: Newsroom, web: aiohttp.ClientSession) -> None:
    found = await ask(web, "/api/statistics")
    assert found["feeds"] == {"total": 2, "health": {"new": 2}}
    assert sum(row["items"] for row in found["items_by_day"]) == 6
    assert {row["source"] for row in found["items_by_day"]} == {"One", "Two"}
    assert found["scores_by_source"] == [
        {"source": "One", "mean": 0.8, "bins": [0] * 8 + [1, 0]},
        {"source": "Two", "mean": 0.2, "bins": [0, 0, 1] + [0] * 7},
    ]
    assert found["articles"] == {"not_fetched": 4, "success": 2}


async def test_a_score_that_was_not_measured_is_null_with_its_label(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    feed = await newsroom.add_feed()
    for number in range(3):
        at = NOW - timedelta(hours=number)
        await newsroom.add_item(feed, f"https://x.example/{number}", published_at=at)
    await newsroom.analyze({"https://x.example/1": 0.8, "https://x.example/2": None})
    found = (await ask(web, "/api/items"))["items"]
    labels = [(item["score"], item["score_label"]) for item in found]
    assert labels == [(None, None), (0.8, "loaded"), (None, "not measured")]
    assert await urls(web, max_score="1") == ["1"]


async def test_one_item_comes_with_text_analysis_marks_and_changes(
    world: Newsroom, web: aiohttp.ClientSession
) -> None:
    await world.database.write(save_marks, FIRST_PERSON, "https://x.example/2", {"starred": True}, NOW)
    (listed,) = [item for item in (await ask(web, "/api/items"))["items"] if item["url"][-1] == "2"]
    item = next(one for one in await world.database.read(list_items) if one.url[-1] == "2")
    await world.change(item, views=(None, 7))
    shown = await ask(web, f"/api/items/{item.id}")
    assert {name: shown[name] for name in listed} == listed | {"views": 7}
    assert (shown["starred"], shown["score"]) == (True, 0.8)
    assert shown["article"]["clean_text"] == "Text."
    assert [change["fields"] for change in shown["changes"]] == [{"views": [None, 7]}]
    unread = next(one for one in await world.database.read(list_items) if one.url[-1] == "0")
    assert (await ask(web, f"/api/items/{unread.id}"))["article"]["status"] == "not_fetched"


async def test_an_item_says_where_its_text_comes_from(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    feed = await newsroom.add_feed()
    whole = "<p>The council of Saltmere met on Tuesday and talked until midnight.</p>" * 9
    told = await newsroom.add_item(feed, "https://x.example/told", content=whole)
    read = await newsroom.add_item(feed, "https://x.example/read", content="<p>The council met.</p>")
    bare = await newsroom.add_item(feed, "https://x.example/bare")
    page = Extracted(title="Council", clean_text="The council of Saltmere met. " * 9, markdown="")
    walled = Extracted(title="Council", clean_text="The council of Saltmere met.", markdown="")
    await newsroom.finish_articles({told.url: walled, read.url: page})
    shown = {item.url[-4:]: await ask(web, f"/api/items/{item.id}") for item in (told, read, bare)}
    assert {name: item["text_from"] for name, item in shown.items()} == {
        "told": "feed", "read": "page", "bare": None,
    }  # fmt: skip


async def test_an_item_of_a_disabled_feed_is_not_shown(world: Newsroom, web: aiohttp.ClientSession) -> None:
    item = (await world.database.read(list_items))[0]
    await world.database.write(update_feed, item.feed_id, {"enabled": False})
    for path in (f"/api/items/{item.id}", f"/api/items/{uuid4()}", "/api/items/x"):
        async with web.get(path) as response:
            assert response.status == 404
            assert (await response.json())["error"]


async def test_what_a_run_added_can_be_listed(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    feed = await newsroom.add_feed()
    run_id = await newsroom.database.write(insert_run, RunKind.FETCH, NOW)
    await newsroom.add_item(feed, "https://x.example/old")
    new = NewItem(
        url="https://x.example/1",
        hash=url_hash("https://x.example/1"),
        listed=Listed(url="https://x.example/1", title="New"),
    )
    batch = FeedItems(feed_id=feed.id, topic="a", run_id=run_id, at=NOW, added=(new,))
    await newsroom.database.write(insert_items, [batch])
    assert await urls(web, run=str(run_id)) == ["1"]


async def test_nobody_has_marks(world: Newsroom, web: aiohttp.ClientSession) -> None:
    await world.database.write(save_marks, FIRST_PERSON, "https://x.example/1", {"starred": True}, NOW)
    del web.headers["Authorization"]
    assert not any(item["starred"] for item in (await ask(web, "/api/items"))["items"])
    assert await urls(web, starred="1") == []


async def test_labels_tell_what_is_unread_and_how_their_feeds_are(
    world: Newsroom, web: aiohttp.ClientSession
) -> None:
    broken = await world.add_feed("https://three.example/feed", source="Two", topic="b")
    await world.fetched(broken, Outcome.PERMANENT_ERROR, error="Answered 404.", failures=1)
    old = NOW - timedelta(days=UNREAD_DAYS + 1)
    await world.add_item(broken, "https://x.example/old", published_at=old)
    await world.database.write(save_marks, FIRST_PERSON, "https://x.example/1", {"read": True}, NOW)
    assert (await ask(web, "/api/labels"))["labels"] == [
        {"source": "One", "topic": "a", "feeds": 1, "unread": 3, "health": "new"},
        {"source": "Two", "topic": "b", "feeds": 2, "unread": 2, "health": "suspended"},
    ]


async def test_runs_are_paged(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    for minute in range(3):
        at = NOW + timedelta(minutes=minute)
        await newsroom.database.write(insert_run, RunKind.COLLECT, at)
    whole = [run["run_id"] for run in (await ask(web, "/api/runs"))["runs"]]
    assert len(whole) == 3
    rest = await ask(web, "/api/runs", before=whole[0], limit="1")
    assert [run["run_id"] for run in rest["runs"]] == whole[1:2]
    async with web.get("/api/runs", params={"before": str(uuid4())}) as response:
        assert response.status == 404


async def test_an_event_stream_goes_on_after_the_last_event_that_was_seen(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    run_id = await newsroom.database.write(insert_run, RunKind.FETCH, NOW)
    events = [
        Progress(run_id=run_id, at=NOW, kind=ProgressKind.LINE, text=f"line {number}\n\ndata: x")
        for number in range(5)
    ]
    await newsroom.database.write(save_events, run_id, 0, events)
    await newsroom.database.write(finish_run, run_id, NOW)
    async with web.get(f"/api/runs/{run_id}/events", headers={"Last-Event-ID": "2"}) as response:
        text = (await asyncio.wait_for(response.content.read(), 5)).decode()
    messages = [message.splitlines() for message in text.split("\n\n") if message]
    assert [message[0] for message in messages] == ["id: 3", "id: 4", "event: end"]
    assert [json.loads(message[2].removeprefix("data: "))["text"] for message in messages[:2]] == [
        "line 3\n\ndata: x",
        "line 4\n\ndata: x",
    ]


async def test_a_time_range_and_a_total(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    feed = await newsroom.add_feed()
    for day in range(1, 6):
        at = datetime(2026, 3, day, 12, tzinfo=UTC)
        await newsroom.add_item(feed, f"https://news.example/{day}", published_at=at)
    wanted = {"since": "2026-03-02", "until": "2026-03-04T12:00:00Z", "total": "1", "limit": "1"}
    page = await ask(web, "/api/items", **wanted)
    assert ([item["url"][-1] for item in page["items"]], page["total"]) == (["3"], 2)
    page = await ask(web, "/api/items", **wanted, cursor=page["next"])
    assert [item["url"][-1] for item in page["items"]] == ["2"]
    async with web.get("/api/items", params={"since": "yesterday"}) as response:
        assert (response.status, (await response.json())["detail"]) == (
            400,
            "since must be a day or a time like 2026-10-05T06:30:00Z.",
        )


async def test_every_list_has_an_order_and_a_total(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    feeds = [await newsroom.add_feed(f"https://news.example/{number}") for number in range(3)]
    for number in range(4):
        at = NOW - timedelta(minutes=number)
        await newsroom.add_item(feeds[0], f"https://news.example/{number}", published_at=at)
    await newsroom.analyze({"https://news.example/1": 0.9, "https://news.example/3": 0.2})
    assert await urls(web, order="date") == ["3", "2", "1", "0"]
    assert await urls(web, order="score", unread="1") == ["3", "1", "0", "2"]
    page = await ask(web, "/api/items", order="-score", limit="1")
    assert await urls(web, order="-score", cursor=page["next"]) == ["3", "0", "2"]
    page = await ask(web, "/api/feeds", order="-added", limit="2", total="1")
    assert [one["id"] for one in page["feeds"]] == [str(feed.id) for feed in feeds[:0:-1]]
    page = await ask(web, "/api/feeds", order="-added", cursor=page["next"])
    assert ([one["id"] for one in page["feeds"]], "total" in page) == ([str(feeds[0].id)], False)
    runs = [
        await newsroom.database.write(insert_run, RunKind.FETCH, NOW + timedelta(hours=number))
        for number in range(3)
    ]
    page = await ask(web, "/api/runs", order="date", limit="1", total="1", since=f"{NOW:%Y-%m-%dT%H:%M:%SZ}")
    assert (page["runs"][0]["run_id"], page["total"]) == (str(runs[0]), 3)
    page = await ask(web, "/api/runs", order="date", cursor=page["next"], until="2100-01-01")
    assert [run["run_id"] for run in page["runs"]] == [str(run_id) for run_id in runs[1:]]
    assert (await ask(web, "/api/runs", since="2100-01-01", total="1"))["total"] == 0
    for path in ("/api/items", "/api/feeds", "/api/runs", "/api/stories"):
        async with web.get(path, params={"order": "random"}) as response:
            assert (response.status, "order must be one of: " in await response.text()) == (400, True)


async def test_an_unknown_parameter_is_a_problem_that_names_those_there_are(
    web: aiohttp.ClientSession,
) -> None:
    async with web.get("/api/items?topics=world") as response:
        assert (response.status, response.content_type) == (400, "application/problem+json")
        problem = await response.json()
    assert (problem["title"], problem["status"], problem["type"]) == ("Bad Request", 400, "about:blank")
    assert problem["detail"].startswith("There is no parameter topics. There are: archived, cursor, feed,")
    async with web.get("/api/labels?x") as response:
        assert (await response.json())["detail"] == "There is no parameter x. There are none."


async def test_lists_are_paged_by_one_word_and_the_old_ones_say_so(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    feeds = [await newsroom.add_feed(f"https://news.example/{number}") for number in range(2)]
    async with web.get("/api/feeds?limit=1") as response:
        page = await response.json()
        assert "Deprecation" not in response.headers
    assert (page["feeds"][0]["id"], page["next"]) == (str(feeds[0].id), str(feeds[0].id))
    for word in ("cursor", "after"):
        async with web.get("/api/feeds", params={word: page["next"]}) as response:
            assert [feed["id"] for feed in (await response.json())["feeds"]] == [str(feeds[1].id)]
            assert response.headers.get("Warning") == (
                None if word == "cursor" else '299 - "after is now cursor"'
            )
    async with web.get("/api/runs?limit=1") as response:
        assert (await response.json()) == {"runs": [], "next": None}
