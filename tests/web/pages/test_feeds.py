"""The page of feeds: looked through, switched, fetched, edited and deleted by plain forms."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest

from inforadar.config import Settings
from inforadar.model.feed import Feed
from inforadar.model.http import Outcome
from inforadar.model.ids import new_uuid
from inforadar.store.feeds.changes import update_feed
from inforadar.store.feeds.pages import FeedFilter, count_feeds_by_state, load_feed_page
from inforadar.store.feeds.queries import load_feed, load_feeds
from inforadar.views.feed_health import HealthState, feed_health
from inforadar.web.http.multipart import first_field, parse_multipart
from inforadar.web.pages.feeds import PAGE_FEEDS
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.person import Person

NAME = "Новости <b>世界</b> 🌍"
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
async def person(web: aiohttp.ClientSession, web_settings: Settings) -> Person:
    person = Person(web, web_settings)
    await person.log_in()
    return person


async def again(newsroom: Newsroom, feed: Feed) -> Feed:
    return await newsroom.database.read(load_feed, feed.id)


async def in_all_states(newsroom: Newsroom) -> None:
    fine = await newsroom.add_feed("https://fine.example/", title="Fine")
    waiting = await newsroom.add_feed("https://waiting.example/", title="Waiting")
    for number, outcome in enumerate(
        (Outcome.PERMANENT_ERROR, Outcome.UNAUTHORIZED, Outcome.TEMPORARY_ERROR)
    ):
        dead = await newsroom.add_feed(f"https://dead.example/{number}", title="Dead")
        await newsroom.fetched(dead, outcome, error="Answered 410 Gone.", failures=1)
    await newsroom.add_feed("https://off.example/", title="Off", enabled=False)
    await newsroom.add_feed("https://fresh.example/", title="Fresh")
    await newsroom.fetched(fine, after_s=3630)
    await newsroom.fetched(waiting, Outcome.TEMPORARY_ERROR, after_s=700, error="Answered 429.", failures=1)


async def test_the_states_that_the_database_counts_are_those_that_people_read(newsroom: Newsroom) -> None:
    await in_all_states(newsroom)
    losing = await newsroom.add_feed("https://losing.example/", title="Losing")
    await newsroom.fetched(losing, after_s=3630)
    lost = [{"text": "2 entries left out: no date can be read.", "is_loss": True}]
    await newsroom.database.write(update_feed, losing.id, {"warnings": lost})
    now = datetime.now(UTC)
    feeds = await newsroom.database.read(load_feeds)
    counted = await newsroom.database.read(count_feeds_by_state)
    assert sum(counted.values()) == len(feeds) == 8
    for state in HealthState:
        page = await newsroom.database.read(load_feed_page, FeedFilter(state=state), limit=10)
        wanted = {feed.id for feed in feeds if feed_health(feed, now).state is state}
        assert {feed.id for feed in page.feeds} == wanted
        assert counted[state] == len(wanted) > 0


async def test_pages_of_feeds_follow_each_other_without_gaps(newsroom: Newsroom, person: Person) -> None:
    feeds = [await newsroom.add_feed(f"https://news.example/{number}") for number in range(PAGE_FEEDS + 3)]
    first = await person.get("/feeds")
    found = re.search(r'rel="next" href="([^"]+)"', first.text)
    assert found
    second = await person.get(found[1])
    ids = re.findall(r'class="name" href="/feeds/([0-9a-f-]+)"', first.text + second.text)
    assert ids == [str(feed.id) for feed in reversed(feeds)]
    assert "First page" in second.words


async def test_what_is_rare_among_many_is_looked_for_step_by_step(newsroom: Newsroom) -> None:
    feeds = [await newsroom.add_feed(f"https://news.example/{number}") for number in range(7)]
    found, before, steps = [], None, 0
    while steps == 0 or before:
        page = await newsroom.database.read(
            load_feed_page, FeedFilter(text="E/0"), limit=5, before=before, max_scanned=3
        )
        found, before, steps = [*found, *page.feeds], page.next, steps + 1
        assert page.is_partial == (before is not None)
    assert [feed.id for feed in found] == [feeds[0].id]
    assert steps == 3


async def test_feeds_are_found_by_state_source_and_text(newsroom: Newsroom, person: Person) -> None:
    await in_all_states(newsroom)
    await newsroom.add_feed("https://x.example/100%25_a", title="Percent", source="Habr")
    for query, names in {
        "state=waiting": ["Waiting"],
        "state=suspended": ["Dead"] * 3,
        "q=FRESH": ["Fresh"],
        "q=100%2525_": ["Percent"],
        "source=habr": ["Percent"],
        "source=habr&state=success": [],
    }.items():
        page = await person.get(f"/feeds?{query}")
        assert re.findall(r'class="name" [^>]*><img [^>]*><bdi>(\w+)</bdi>', page.text) == names, query
    assert "No feed is like that" in page.words
    assert (await person.get("/feeds?state=odd")).status == 400
    assert (await person.get("/feeds?before=odd")).status == 400


async def test_fetch_now_revives_and_says_so(newsroom: Newsroom, person: Person) -> None:
    feed = await newsroom.add_feed()
    await newsroom.fetched(
        feed, Outcome.PERMANENT_ERROR, error="Answered 404.", failures=1, ago=timedelta(minutes=1)
    )
    assert "Fetch it now to revive it" in (await person.get(f"/feeds/{feed.id}")).words
    page = await person.follow(await person.post(f"/feeds/{feed.id}/sync"))
    assert "Asked for. A running worker fetches it now." in page.words
    found = await again(newsroom, feed)
    assert (found.last_error, found.requested_at is None) == (None, False)
    page = await person.follow(await person.post(f"/feeds/{feed.id}/sync"))
    assert "It was asked for a moment ago." in page.words
    assert (await again(newsroom, feed)).requested_at == found.requested_at


async def test_switches_switch_and_lead_back_to_where_they_stood(newsroom: Newsroom, person: Person) -> None:
    feed = await newsroom.add_feed()
    answer = await person.post(f"/feeds/{feed.id}/enabled", to="off", back="state=success&q=a%26b")
    assert answer.location == "/feeds?state=success&q=a%26b&says=disabled"
    assert not (await again(newsroom, feed)).enabled
    page = await person.follow(await person.post(f"/feeds/{feed.id}/sync"))
    assert "Enable it first." in page.words
    assert (
        await person.post(f"/feeds/{feed.id}/enabled", to="on", back="")
    ).location == "/feeds?says=enabled"
    page = await person.follow(await person.post(f"/feeds/{feed.id}/polling", to="off"))
    assert "only when asked for" in page.words
    found = await again(newsroom, feed)
    assert (found.enabled, found.polling) == (True, False)
    assert (await person.post(f"/feeds/{feed.id}/polling", to="maybe")).status == 400


async def test_no_button_leads_elsewhere(newsroom: Newsroom, person: Person) -> None:
    feed = await newsroom.add_feed()
    for back in ("//evil.example", "https://evil.example/", "q=x\r\nLocation: https://evil.example"):
        answer = await person.post(f"/feeds/{feed.id}/polling", to="on", back=back)
        assert answer.location.startswith("/feeds?")


async def test_whoever_is_not_logged_in_may_look_and_is_led_to_the_login(
    newsroom: Newsroom, web: aiohttp.ClientSession, web_settings: Settings
) -> None:
    feed = await newsroom.add_feed()
    stranger = Person(web, web_settings)
    for path in ("/feeds", f"/feeds/{feed.id}", "/feeds/deleted", "/add", "/add?kind=pages",
                 "/opml", "/fetch", "/runs", "/statistics"):  # fmt: skip
        page = await stranger.get(path)
        assert page.status == 200, path
        assert 'method="post"' not in page.text, path
    for path in (f"/feeds/{feed.id}", f"/feeds/{feed.id}/sync", f"/feeds/{feed.id}/delete", f"/feeds/{feed.id}/restore",
                 f"/feeds/{feed.id}/selectors", "/add", "/add/feed", "/add/pages", "/opml", "/fetch",
                 f"/fetch/{new_uuid()}/stop"):  # fmt: skip
        refused = await stranger.post(path, to="off")
        assert refused.status == 401, path
        assert "Making changes requires an account" in refused.words
        assert '<a href="/login">' in refused.text
    found = await again(newsroom, feed)
    assert (found.deleted_at, found.requested_at) == (None, None)


async def test_a_form_without_the_pages_token_changes_nothing(newsroom: Newsroom, person: Person) -> None:
    feed = await newsroom.add_feed()
    person.csrf = "0" * 64
    for refused in (
        await person.post(f"/feeds/{feed.id}/delete"),
        await person.upload("/opml", file=b"<opml/>"),
    ):
        assert refused.status == 403
        assert "The page is outdated" in refused.words
    assert (await again(newsroom, feed)).deleted_at is None


TYPE = b"multipart/form-data; boundary=xYz"


def test_a_form_with_a_file_is_read_as_it_was_sent() -> None:
    body = (
        b'--xYz\r\nContent-Disposition: form-data; name="csrf"\r\n\r\nabc\r\n'
        b'--xYz\r\ncontent-disposition: form-data; name="file"; filename="a;b.opml"\r\n'
        b"Content-Type: text/xml\r\n\r\n<a>\r\n--xY\r\n\x00\xff\r\n--xYz--\r\n"
    )
    assert parse_multipart(body, TYPE) == {"csrf": [b"abc"], "file": [b"<a>\r\n--xY\r\n\x00\xff"]}
    assert first_field(body[:80], TYPE, "csrf") == "abc"
    for other in (body[:20], b"x" + body, body.replace(b'"csrf"', b'"x"'), b""):
        assert first_field(other, TYPE, "csrf") == ""
    assert first_field(body, b"multipart/form-data", "csrf") == ""


async def test_a_feed_that_is_not_scheduled_and_never_posted_has_no_such_section(
    newsroom: Newsroom, person: Person
) -> None:
    feed = await newsroom.add_feed(enabled=False)
    assert "When it posts" not in (await person.get(f"/feeds/{feed.id}")).words
