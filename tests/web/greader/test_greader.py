"""The Google Reader API over real HTTP: what clients send, in every form they send it."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import aiohttp
import pytest

from inforadar.actions.people.tokens import revoke
from inforadar.model.feed import Feed
from inforadar.model.ids import new_uuid
from inforadar.model.item_number import id_range, item_number, parse_item_number
from inforadar.model.person import FIRST_PERSON, TokenKind
from inforadar.store.database import Database
from inforadar.store.people.marks import load_marks
from inforadar.store.people.queries import load_tokens
from inforadar.store.people.save_marks import save_marks
from inforadar.urls import url_hash
from inforadar.web.http.login_limit import FREE_FAILURES
from tests.support.faces.newsroom import Newsroom
from tests.web.greader.client import ALL, READ, STARRED, STATE, ReaderApp, admin_app, reader_app

HOSTILE = '<script>alert(1)</script> & "co" 新闻'


@pytest.fixture
def newsroom(database: Database) -> Newsroom:
    """On both databases."""
    return Newsroom(database=database)


@pytest.fixture
async def feed(newsroom: Newsroom) -> Feed:
    feed = await newsroom.add_feed(
        "https://one.example/feed", source="One", topic="науки", title="One & only"
    )
    for number in range(5):
        await newsroom.add_item(
            feed,
            f"https://one.example/{number}",
            title=HOSTILE if number == 4 else f"Title {number}",
            content=f'<p>Text {number}</p><script>x</script><img src="https://one.example/p.png">',
        )
    return feed


@pytest.fixture
async def app(feed: Feed, newsroom: Newsroom, web: aiohttp.ClientSession) -> ReaderApp:
    return await admin_app(web, newsroom.database)


def test_a_number_is_found_in_every_form_and_leads_back_to_its_id() -> None:
    for _ in range(200):
        item_id = new_uuid()
        number = item_number(item_id)
        low, high = id_range(number)
        assert low <= item_id <= high
        forms = [str(number), f"{number:016x}", f"tag:google.com,2005:reader/item/{number:016x}"]
        assert {parse_item_number(form) for form in forms} == {number}
    assert parse_item_number("1f") == 31
    assert parse_item_number("tag:google.com,2005:reader/item/1f") == 31
    assert parse_item_number("-1") == parse_item_number("f" * 16) == 2**64 - 1
    for wrong in (
        "",
        "x",
        "1_0",
        "9" * 30,
        "tag:google.com,2005:reader/item/",
        "１２",
        str(2**64),
        str(-(2**63) - 1),
    ):
        assert parse_item_number(wrong) is None


@pytest.mark.parametrize("prefix", ["/api/greader.php", ""])
async def test_a_client_logs_in_lists_and_reads(
    feed: Feed, newsroom: Newsroom, web: aiohttp.ClientSession, prefix: str
) -> None:
    app = await admin_app(web, newsroom.database, prefix)
    assert (await app.get("user-info"))["userName"] == "admin"
    (listed,) = (await app.get("subscription/list", [("output", "json")]))["subscriptions"]
    assert (listed["id"], listed["title"]) == (f"feed/{feed.id}", "One & only")
    assert listed["categories"] == [{"id": "user/-/label/науки", "label": "науки"}]
    etag = app.answer_headers["ETag"]
    await app.get("subscription/list", **{"If-None-Match": etag})
    assert app.status == 304
    numbers = await app.ids(s=ALL)
    assert len(numbers) == 5
    assert numbers == sorted(numbers, reverse=True)
    shown = await app.post(
        "stream/items/contents", [("i", f"{n:016x}") for n in numbers[:2]] + [("i", str(numbers[2]))]
    )
    assert [int(one["id"][-16:], 16) for one in shown["items"]] == numbers[:3]
    hostile, plain = shown["items"][0], shown["items"][1]
    assert hostile["title"] == '&lt;script&gt;alert(1)&lt;/script&gt; &amp; "co" 新闻'
    assert "<script" not in plain["summary"]["content"]
    assert "Text 3" in plain["summary"]["content"]
    assert "p.png" in plain["summary"]["content"]
    assert plain["canonical"] == [{"href": "https://one.example/3"}]
    assert plain["origin"]["streamId"] == f"feed/{feed.id}"
    assert abs(int(plain["timestampUsec"]) / 1e6 - time.time()) < 3600
    assert "private" in app.answer_headers["Cache-Control"]


async def test_marks_made_in_an_app_are_those_of_the_page_and_the_other_way_round(
    app: ReaderApp, newsroom: Newsroom
) -> None:
    newest, second, third, *_ = await app.ids(s=ALL)
    token = await app.get("token")
    assert (
        await app.post("edit-tag", [("i", f"{newest:016x}"), ("a", READ), ("a", STARRED), ("T", token)])
        == "OK"
    )
    key = url_hash("https://one.example/4")
    marks = (await newsroom.database.read(load_marks, FIRST_PERSON, [key]))[key]
    assert marks.read_at
    assert marks.starred_at
    await newsroom.database.write(
        save_marks, FIRST_PERSON, "https://one.example/3", {"read": True}, datetime.now(UTC)
    )
    assert await app.ids(s=ALL, xt=READ) == sorted(await app.ids(s=ALL), reverse=True)[2:]
    assert await app.ids(s=READ) == [newest, second]
    assert await app.ids(s=STARRED) == [newest]
    assert await app.ids(it=STARRED) == [newest]
    # newsboat: read, and no longer kept unread, with a state of its own; Liferea: extra words, and T alone.
    kept = f"{STATE}kept-unread"
    await app.post(
        "edit-tag", [("i", str(third)), ("a", READ), ("r", kept), ("a", f"{STATE}tracking-kept-unread")]
    )
    assert third in await app.ids(s=READ)
    auth = app.headers.pop("Authorization").partition("auth=")[2]
    await app.post(
        "edit-tag",
        [("i", str(third)), ("r", READ), ("a", kept), ("ac", "edit-tags"), ("async", "true"), ("T", auth)],
    )
    assert app.status == 200
    app.headers["Authorization"] = f"GoogleLogin auth={auth}"
    assert third not in await app.ids(s=READ)


async def test_labels_topics_and_searches_are_streams(app: ReaderApp, newsroom: Newsroom) -> None:
    newest, *_, oldest = await app.ids(s=ALL)
    await app.post("edit-tag", [("i", str(newest)), ("i", str(oldest)), ("a", "user/-/label/later")])
    assert await app.ids(s="user/-/label/later") == [newest, oldest]
    assert len(await app.ids(s="user/-/label/НАУКИ")) == 5
    tags = {one["id"] for one in (await app.get("tag/list"))["tags"]}
    assert {"user/-/label/later", "user/-/label/науки", STARRED} <= tags
    await app.post("rename-tag", [("s", "user/-/label/later"), ("dest", "user/-/label/soon")])
    assert await app.ids(s="user/-/label/soon") == [newest, oldest]
    await app.post("disable-tag", [("s", "user/-/label/soon")])
    await app.get("stream/items/ids", [("s", "user/-/label/soon")])
    assert app.status == 404


async def test_unread_counts_come_from_counters_that_stay_right(
    app: ReaderApp, feed: Feed, newsroom: Newsroom
) -> None:
    async def unread() -> dict[str, int]:
        found = await app.get("unread-count", [("all", "true"), ("output", "json")])
        return {one["id"]: one["count"] for one in found["unreadcounts"]}

    assert await unread() == {f"feed/{feed.id}": 5, "user/-/label/науки": 5, ALL: 5}
    newest, second, *_ = await app.ids(s=ALL)
    await app.post("edit-tag", [("i", str(newest)), ("i", str(second)), ("a", READ)])
    await app.post("edit-tag", [("i", str(newest)), ("a", READ)])
    assert (await unread())[ALL] == 3
    # The same URL in another feed has the same marks.
    other = await newsroom.add_feed("https://two.example/feed", topic="b")
    await newsroom.add_item(other, "https://one.example/4")
    assert (await unread())[f"feed/{other.id}"] == 0
    await app.post("edit-tag", [("i", str(newest)), ("r", READ)])
    assert await unread() == {
        f"feed/{feed.id}": 4, "user/-/label/науки": 4, f"feed/{other.id}": 1, "user/-/label/b": 1, ALL: 5
    }  # fmt: skip
    await app.post("mark-all-as-read", [("s", f"feed/{feed.url}"), ("ts", str(time.time_ns()))])
    assert (await unread())[ALL] == 0


@pytest.mark.parametrize("unit", [1, 1000, 10**6, 10**9])
async def test_a_time_is_told_by_its_size(app: ReaderApp, unit: int) -> None:
    long_ago = int((time.time() - 86400) * unit)
    await app.post("mark-all-as-read", [("s", ALL), ("ts", str(long_ago))])
    assert len(await app.ids(s=ALL, xt=READ)) == 5
    await app.post("mark-all-as-read", [("s", ALL), ("ts", str(int((time.time() + 60) * unit)))])
    assert await app.ids(s=ALL, xt=READ) == []


async def test_pages_lose_and_repeat_nothing_while_items_arrive(
    app: ReaderApp, feed: Feed, newsroom: Newsroom
) -> None:
    before = await app.ids(s=ALL)
    seen: list[int] = []
    more: list[tuple[str, str]] = []
    while True:
        page = await app.get("stream/items/ids", [("s", ALL), ("n", "2"), *more])
        seen += [int(one["id"]) for one in page["itemRefs"]]
        await newsroom.add_item(feed, f"https://one.example/new/{len(seen)}")
        if "continuation" not in page:
            break
        more = [("c", page["continuation"])]
    assert seen == before
    oldest_first = await app.get("stream/contents/" + ALL, [("r", "o"), ("n", "3")])
    assert [int(one["id"][-16:], 16) for one in oldest_first["items"]] == sorted(before)[:3]
    rest = await app.get("stream/contents", [("r", "o"), ("n", "50"), ("c", oldest_first["continuation"])])
    assert [int(one["id"][-16:], 16) for one in rest["items"]][:2] == sorted(before)[3:]
    assert await app.ids(s=ALL, ot=str(int(time.time()))) == await app.ids(s=ALL)
    assert await app.ids(s=ALL, ot=str(int(time.time()) + 3600)) == []
    assert await app.ids(s=ALL, nt=str(int(time.time()) - 3600)) == []


async def test_an_admin_edits_subscriptions_with_everything_in_the_query(app: ReaderApp, feed: Feed) -> None:
    where = [("s", f"feed/{feed.id}"), ("i", "null")]
    edit = [("ac", "edit"), *where, ("t", "Другое"), ("a", "user/-/label/world")]
    assert await app.post("subscription/edit", params=edit) == "OK"
    (listed,) = (await app.get("subscription/list"))["subscriptions"]
    assert (listed["title"], listed["categories"][0]["label"]) == ("Другое", "world")
    added = await app.post(
        "subscription/quickadd", [("quickadd", "https://new.example/feed")], params=[("output", "json")]
    )
    assert added["numResults"] == 1
    assert (await app.post("subscription/quickadd", [("quickadd", "not a url")]))["numResults"] == 0
    assert "new.example" in await app.get("subscription/export")
    assert (
        await app.post("subscription/edit", [("ac", "unsubscribe"), ("s", "feed/https://new.example/feed")])
        == "OK"
    )
    assert len((await app.get("subscription/list"))["subscriptions"]) == 1


async def test_a_reader_hides_what_an_admin_deletes_and_marks_are_each_ones_own(
    app: ReaderApp, feed: Feed, newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    ida = await reader_app(web, newsroom.database)
    numbers = await ida.ids(s=ALL)
    await ida.post("mark-all-as-read", [("s", ALL)])
    assert len(await app.ids(s=ALL, xt=READ)) == 5
    await ida.post("subscription/edit", [("ac", "edit"), ("s", f"feed/{feed.id}"), ("t", "Mine")])
    assert ida.status == 403
    await ida.post("subscription/quickadd", [("quickadd", "https://new.example/feed")])
    assert ida.status == 403
    await ida.post("subscription/edit", [("ac", "unsubscribe"), ("s", f"feed/{feed.id}")])
    assert ida.status == 200
    assert (await ida.get("subscription/list"))["subscriptions"] == []
    assert await ida.ids(s=ALL) == []
    await ida.get(f"stream/contents/feed/{feed.id}")
    assert ida.status == 404
    await ida.post("stream/items/contents", [("i", str(numbers[0]))])
    assert ida.status == 404
    await ida.post("edit-tag", [("i", str(numbers[0])), ("a", STARRED)])
    assert ida.status == 404
    assert len(await app.ids(s=ALL)) == 5


async def test_stale_tokens_and_wrong_ones_are_refused(app: ReaderApp, web: aiohttp.ClientSession) -> None:
    (number, *_) = await app.ids(s=ALL)
    for token in ("old", "1/0000", "99999999999/0000"):
        await app.post("edit-tag", [("i", str(number)), ("a", READ), ("T", token)])
        assert (app.status, app.answer_headers["X-Reader-Google-Bad-Token"]) == (401, "true")
    stranger = ReaderApp(web)
    for auth in ("", "GoogleLogin auth=", "GoogleLogin auth=x/y.z", "Basic eDp5", "GoogleLogin x"):
        stranger.headers = {"Authorization": auth}
        await stranger.get("subscription/list")
        assert stranger.status == 401


async def test_wrong_passwords_are_slowed_and_the_right_one_is_not_locked_out(
    feed: Feed, newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    guesser = ReaderApp(web)
    for _ in range(FREE_FAILURES):
        assert not await guesser.log_in("admin", "wrong")
        assert guesser.status == 401
    assert not await guesser.log_in("admin", "wrong")
    assert guesser.status == 429
    await admin_app(web, newsroom.database)


@pytest.mark.parametrize(
    ("path", "pairs", "status"),
    [
        ("stream/items/ids", [("n", "x")], 400),
        ("stream/items/ids", [("c", "x")], 400),
        ("stream/items/ids", [("s", "feed/nothing")], 404),
        ("stream/items/ids", [("s", "пусто")], 404),
        ("stream/items/ids", [("s", f"{STATE}broadcast")], 200),
        ("stream/items/ids", [("n", "200000"), ("s", ALL)], 200),
        ("stream/items/contents", [("i", "zz")], 400),
        ("stream/items/contents", [("i", "7")], 404),
        ("stream/contents", [("ot", "-1")], 400),
        ("unread-count", [], 200),
        ("preference/list", [], 200),
    ],
)
async def test_bad_input_is_refused_and_odd_input_is_not(
    app: ReaderApp, path: str, pairs: list[tuple[str, str]], status: int
) -> None:
    await app.get(path, pairs)
    assert app.status == status


async def test_a_revoked_app_password_ends_its_auth_token(app: ReaderApp, newsroom: Newsroom) -> None:
    (token,) = await newsroom.database.read(load_tokens, FIRST_PERSON, [TokenKind.APP])
    await revoke(newsroom.database, FIRST_PERSON, token.id, [TokenKind.APP])
    await app.get("subscription/list")
    assert app.status == 401


async def test_it_is_seen_when_an_app_password_was_last_used(app: ReaderApp, newsroom: Newsroom) -> None:
    async def used_at() -> datetime | None:
        (token,) = await newsroom.database.read(load_tokens, FIRST_PERSON, [TokenKind.APP])
        return token.used_at

    right = app.headers["Authorization"]
    app.headers = {"Authorization": f"{right}0"}
    await app.get("user-info")
    assert (app.status, await used_at()) == (401, None)
    app.headers = {"Authorization": right}
    await app.get("user-info")
    assert await used_at() is not None


async def test_lists_that_are_kept_follow_every_change_of_the_database(
    newsroom: Newsroom, feed: Feed, app: ReaderApp
) -> None:
    """The changes are made beside the API, as another process makes them."""

    async def listed() -> tuple[list[str], int]:
        titles = [one["title"] for one in (await app.get("subscription/list"))["subscriptions"]]
        return titles, (await app.get("unread-count"))["max"]

    assert await listed() == await listed() == (["One & only"], 5)
    await app.get("subscription/list")
    first_etag = app.answer_headers["ETag"]
    other = await newsroom.add_feed("https://two.example/feed", source='"Two"\\ 新', topic="науки")
    assert await listed() == (["One & only", '"Two"\\ 新'], 5)
    await newsroom.add_item(other, "https://two.example/1", title="Title")
    assert await listed() == (["One & only", '"Two"\\ 新'], 6)
    await app.get("subscription/list")
    etag = app.answer_headers["ETag"]
    assert etag != first_etag
    await app.get("subscription/list", **{"If-None-Match": etag})
    assert app.status == 304
