"""The request sequences of real apps, as far as they are known: a synchronization and a mark, then another one."""

from __future__ import annotations

import aiohttp
import pytest

from inforadar.model.feed import Feed
from tests.support.faces.newsroom import Newsroom
from tests.web.greader.client import ALL, READ, STARRED, ReaderApp, admin_app

JSON = ("output", "json")
TAG = "tag:google.com,2005:reader/item/"


@pytest.fixture
async def feed(newsroom: Newsroom) -> Feed:
    feed = await newsroom.add_feed("https://one.example/feed", topic="world", title="One")
    for number in range(3):
        await newsroom.add_item(feed, f"https://one.example/{number}", title=f"Title {number}")
    return feed


@pytest.fixture
async def app(feed: Feed, newsroom: Newsroom, web: aiohttp.ClientSession) -> ReaderApp:
    return await admin_app(web, newsroom.database)


async def test_netnewswire(app: ReaderApp) -> None:
    tags = await app.get("tag/list", [JSON, ("types", "1")])
    assert {"id": "user/-/label/world", "type": "folder"} in tags["tags"]
    assert len((await app.get("subscription/list", [JSON]))["subscriptions"]) == 1
    await app.get("tag/list", [JSON, ("types", "1")], **{"If-None-Match": app.answer_headers["ETag"]})
    unread = await app.get("stream/items/ids", [("s", ALL), ("n", "1000"), JSON, ("xt", READ)])
    ids = [one["id"] for one in unread["itemRefs"]]
    token = await app.get("token")
    long_forms = [("i", f"{TAG}{int(one):016x}") for one in ids]
    shown = await app.post("stream/items/contents", [("T", token), JSON, *long_forms])
    assert [one["id"] for one in shown["items"]] == [value for _, value in long_forms]
    assert await app.post("edit-tag", [("T", token), ("a", READ), long_forms[0]]) == "OK"
    left = await app.get("stream/items/ids", [("s", ALL), ("n", "1000"), JSON, ("xt", READ)])
    assert [one["id"] for one in left["itemRefs"]] == ids[1:]


async def test_read_you(app: ReaderApp, feed: Feed) -> None:
    assert (await app.get("user-info", [JSON]))["userName"] == "admin"
    token = await app.get("token")
    unread = await app.get("stream/items/ids", [JSON, ("s", ALL), ("xt", READ), ("n", "10000")])
    starred = await app.get("stream/items/ids", [JSON, ("s", STARRED), ("n", "10000")])
    read = await app.get("stream/items/ids", [JSON, ("s", READ), ("ot", "1"), ("n", "10000")])
    assert [len(one["itemRefs"]) for one in (unread, starred, read)] == [3, 0, 0]
    ids = [("i", f"{int(one['id']):016x}") for one in unread["itemRefs"]]
    shown = await app.post("stream/items/contents", [("T", token), *ids], params=[JSON])
    assert len(shown["items"]) == 3
    await app.post("edit-tag", [("T", token), *ids[:2], ("a", STARRED)], params=[JSON])
    assert len((await app.get("stream/items/ids", [JSON, ("it", STARRED), ("n", "10")]))["itemRefs"]) == 2
    await app.post("mark-all-as-read", [("T", token), ("s", f"feed/{feed.id}")], params=[JSON])
    assert (await app.get("unread-count", [JSON]))["max"] == 0
    new = [("quickadd", "https://new.example/feed")]
    assert (await app.post("subscription/quickadd", new, params=[JSON, *new]))["numResults"] == 1


async def test_feedme(app: ReaderApp) -> None:
    await app.get("subscription/list", [JSON])
    await app.get("unread-count", [JSON])
    ids = await app.ids(s=ALL, xt=READ)
    shown = await app.post("stream/items/contents", [("i", str(number)) for number in ids])
    assert len(shown["items"]) == 3
    await app.post("edit-tag", [("a", READ), *(("i", str(number)) for number in ids)])
    assert await app.ids(s=ALL, xt=READ) == []


async def test_fluent_reader(app: ReaderApp) -> None:
    await app.get("user-info")
    assert len((await app.get("subscription/list", [JSON]))["subscriptions"]) == 1
    assert len(await app.ids(xt=READ)) == 3, "without s: everything"
    first = await app.get("stream/contents", [JSON, ("n", "2")])
    rest = await app.get("stream/contents", [JSON, ("n", "2"), ("c", first["continuation"])])
    items = first["items"] + rest["items"]
    assert len({one["id"] for one in items}) == 3
    # Its changes have no token.
    assert await app.post("edit-tag", [("i", items[0]["id"]), ("a", READ)]) == "OK"
    assert len(await app.ids(xt=READ)) == 2
