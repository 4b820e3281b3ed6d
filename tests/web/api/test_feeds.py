"""What people do to feeds over HTTP: add, find, edit, switch, fetch, delete, import and export."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import aiohttp
import pytest

from inforadar.actions.opml import parse_opml
from inforadar.config import Settings
from inforadar.model.feed import Feed
from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId
from inforadar.model.rhythm import Polling, PollReason
from inforadar.store.feeds.queries import load_feed
from inforadar.store.feeds.save_credentials import save_credentials
from inforadar.store.feeds.save_rhythms import save_rhythms
from inforadar.web.api.feeds import FEEDS_PER_PAGE
from inforadar.web.http.admin_token import load_admin_token
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.serving import running
from tests.support.site.documents import entries, link_to_feed, rss
from tests.support.site.server import Site
from tests.views.test_rhythm import weekday_mornings

URL = "https://новости.example/лента?a=1&b=2"
HREF = "https://xn--b1amnebsh.example/%D0%BB%D0%B5%D0%BD%D1%82%D0%B0?a=1&b=2"


class Admin:
    """A client with the token."""

    def __init__(self, web: aiohttp.ClientSession, token: str) -> None:
        self._web = web
        self._headers = {"Authorization": f"Bearer {token}"}

    async def __call__(self, method: str, path: str, **given: Any) -> tuple[int, Any]:
        async with self._web.request(method, path, headers=self._headers, **given) as response:
            return response.status, await response.json() if await response.read() else None


@pytest.fixture
async def admin(web: aiohttp.ClientSession, web_settings: Settings) -> Admin:
    return Admin(web, load_admin_token(web_settings.home))


async def stored(newsroom: Newsroom, document: dict[str, Any]) -> Feed:
    return await newsroom.database.read(load_feed, FeedId(UUID(document["id"])))


async def test_a_feed_that_is_added_is_enabled_polls_and_is_asked_for(
    newsroom: Newsroom, admin: Admin
) -> None:
    status, added = await admin("POST", "/api/feeds", json={"url": URL, "topic": "мир", "source": "Новости"})
    assert (status, added["added"], added["url"]) == (201, True, HREF)
    feed = await stored(newsroom, added)
    assert (feed.enabled, feed.polling, feed.enforce_feed_domain) == (True, True, False)
    assert feed.requested_at is not None
    assert feed.next_run_at is not None
    assert (added["health"], added["topic"], added["source"]) == ("new", "мир", "Новости")
    status, again = await admin("POST", "/api/feeds", json={"url": URL, "topic": "other"})
    assert (status, again["added"], again["topic"]) == (200, False, "мир")


async def test_names_are_stored_without_the_spaces_around_them(newsroom: Newsroom, admin: Admin) -> None:
    given = {"url": URL, "topic": " мир\u3000", "source": "\tНовости дня ", "title": "  标题 "}
    _, added = await admin("POST", "/api/feeds", json=given)
    feed = await stored(newsroom, added)
    assert (feed.topic, feed.source, feed.title) == ("мир", "Новости дня", "标题")
    changed = {"topic": " world ", "source": "News ", "title": " Заголовок"}
    assert (await admin("PATCH", f"/api/feeds/{feed.id}", json=changed))[0] == 200
    feed = await stored(newsroom, added)
    assert (feed.topic, feed.source, feed.title) == ("world", "News", "Заголовок")
    _, listed = await admin("GET", "/api/feeds", params={"source": "News ", "topic": "world"})
    assert [one["id"] for one in listed["feeds"]] == [str(feed.id)]


async def test_the_description_says_how_many_feeds_come_without_a_limit(admin: Admin) -> None:
    _, document = await admin("GET", "/openapi.json")
    given = document["paths"]["/api/feeds"]["get"]["parameters"]
    assert next(one for one in given if one["name"] == "limit")["schema"]["default"] == FEEDS_PER_PAGE


@pytest.mark.parametrize("defaulted", [{}, {"topic": None}])
async def test_the_hub_of_a_habr_listing_is_its_topic(admin: Admin, defaulted: dict[str, None]) -> None:
    url = "https://habr.com/ru/hubs/python/articles/"
    status, added = await admin("POST", "/api/feeds", json={"url": url, **defaulted})
    assert (status, added["kind"], added["topic"]) == (201, "pages", "python")


@pytest.mark.parametrize(
    "body",
    [{}, {"url": "x"}, {"url": "ftp://a.example/"}, {"url": "https://a.example/", "kind": "blog"}, [],
     {"url": "https://a.example/", "topic": " "}, {"url": "https://a.example/", "enabled": True}],
)  # fmt: skip
async def test_what_cannot_be_added_is_said_so(admin: Admin, body: Any) -> None:
    status, said = await admin("POST", "/api/feeds", json=body)
    assert status == 400
    assert said["error"].endswith(".")


async def test_switches_only_switch(newsroom: Newsroom, admin: Admin) -> None:
    feed = await newsroom.add_feed(enabled=False, polling=False)
    for change in ({"enabled": True}, {"polling": True}, {"enabled": False, "polling": False}):
        status, changed = await admin("PATCH", f"/api/feeds/{feed.id}", json=change)
        assert status == 200
        assert {name: changed[name] for name in change} == change
        assert (await stored(newsroom, changed)).requested_at is None


async def test_an_edited_feed_is_enabled_polls_and_runs_now_unless_it_is_said_otherwise(
    newsroom: Newsroom, admin: Admin
) -> None:
    feed = await newsroom.add_feed(enabled=False, polling=False)
    path = f"/api/feeds/{feed.id}"
    _, changed = await admin("PATCH", path, json={"topic": "новое", "error_policy": "one-strike"})
    assert (changed["topic"], changed["enabled"], changed["polling"]) == ("новое", True, True)
    found = await stored(newsroom, changed)
    assert (found.error_policy, found.requested_at is None) == ("one-strike", False)
    _, changed = await admin("PATCH", path, json={"error_policy": None, "polling": False})
    assert (changed["polling"], (await stored(newsroom, changed)).error_policy) == (False, None)
    assert changed["topic"] == "новое"


async def test_the_time_zone_is_set_changed_and_taken_away(newsroom: Newsroom, admin: Admin) -> None:
    _, added = await admin("POST", "/api/feeds", json={"url": URL, "timezone": "Europe/Moscow"})
    assert added["options"] == {"timezone": "Europe/Moscow"}
    path = f"/api/feeds/{added['id']}"
    for given, zone in (("Asia/Tokyo", "Asia/Tokyo"), (None, None), ("Asia/Tokyo", "Asia/Tokyo"), ("", None)):
        status, changed = await admin("PATCH", path, json={"timezone": given})
        assert (status, changed["options"].get("timezone")) == (200, zone)
    wrong = {"timezone": "Mars/Base", "topic": "other", "root_domain": "other.org"}
    for status, said in (
        await admin("PATCH", path, json=wrong),
        await admin("POST", "/api/feeds", json={"url": "https://a.example/", "timezone": "Mars/Base"}),
    ):
        assert (status, said["error"]) == (400, "'Mars/Base' is no time zone; write it like Europe/Moscow.")
    feed = await stored(newsroom, added)
    assert (feed.topic, feed.root_domain) == ("general", changed["root_domain"]), "nothing was changed"
    assert (await admin("PATCH", path, json={"timezone": 3}))[0] == 400


async def test_the_cutoff_of_the_settings_is_that_of_an_added_feed(
    newsroom: Newsroom, web_settings: Settings
) -> None:
    settings = web_settings.replaced(fetcher={"cutoff_date": date(2020, 1, 2)})
    async with running(newsroom.database, settings) as web:
        admin = Admin(web, load_admin_token(settings.home))
        _, added = await admin("POST", "/api/feeds", json={"url": "https://habr.com/ru/articles/"})
    assert added["options"] == {"cutoff_date": "2020-01-02"}
    assert added["enforce_feed_domain"] is False


async def test_another_url_starts_the_feed_over_and_the_former_one_is_still_served(
    newsroom: Newsroom, admin: Admin, web: aiohttp.ClientSession
) -> None:
    feed = await newsroom.add_feed("https://news.example/feed")
    await newsroom.build(feed, "<rss/>")
    await newsroom.fetched(feed, Outcome.PERMANENT_ERROR, error="It answered 404.", failures=3)
    await newsroom.database.write(save_credentials, feed.id, {"X-Key": "k"})
    new, path = "https://other.example/feed", f"/api/feeds/{feed.id}"
    before = newsroom.database.writes
    status, changed = await admin("PATCH", path, json={"url": new, "topic": "мир"})
    assert (status, newsroom.database.writes - before) == (200, 1)
    assert (changed["url"], changed["topic"], changed["health"]) == (new, "мир", "new")
    assert (changed["failures"], changed["last_error"], changed["credentials_deleted"]) == (0, None, True)
    assert changed["requested_at"]
    assert changed["next_run_at"]
    assert [one["url"] for one in (await admin("GET", path))[1]["former_urls"]] == [feed.url]
    for url in (feed.url, new):
        async with web.get("/rss", params={"url": url}) as response:
            assert response.status == 200
    _, changed = await admin("PATCH", path, json={"url": f"{new}?page=1"})
    assert changed["credentials_deleted"] is False


async def test_a_url_of_another_feed_is_a_conflict(newsroom: Newsroom, admin: Admin) -> None:
    feed = await newsroom.add_feed()
    other = await newsroom.add_feed("https://other.example/feed", title="The other one")
    path = f"/api/feeds/{feed.id}"
    status, said = await admin("PATCH", path, json={"url": other.url, "topic": "x"})
    assert (status, f"of another feed, The other one (id {other.id})" in said["error"]) == (409, True)
    assert (await admin("PATCH", path, json={"url": "no url", "topic": "x"}))[0] == 400
    assert (await admin("GET", path))[1]["topic"] == feed.topic


async def test_the_root_domain_is_set_and_cleared(newsroom: Newsroom, admin: Admin) -> None:
    feed = await newsroom.add_feed("https://news.example.com/feed", enabled=False)
    path = f"/api/feeds/{feed.id}"
    _, changed = await admin("PATCH", path, json={"root_domain": " Other.ORG "})
    assert (changed["root_domain"], changed["enabled"]) == ("other.org", False)
    assert (await admin("GET", "/api/root-domains"))[1] == {"root_domains": ["other.org"]}
    _, changed = await admin("PATCH", path, json={"root_domain": None})
    assert changed["root_domain"] is None
    assert (await admin("PATCH", path, json={}))[0] == 400


async def test_sync_revives_and_a_disabled_feed_says_why_not(newsroom: Newsroom, admin: Admin) -> None:
    feed = await newsroom.add_feed()
    await newsroom.fetched(
        feed, Outcome.PERMANENT_ERROR, error="Answered 404.", failures=1, ago=timedelta(minutes=1)
    )
    status, synced = await admin("POST", f"/api/feeds/{feed.id}/sync")
    assert (status, synced["last_error"], synced["failures"]) == (202, None, 0)
    assert "Requested" in synced["health_sentence"]
    assert (await admin("POST", f"/api/feeds/{feed.id}/sync"))[0] == 200
    await admin("PATCH", f"/api/feeds/{feed.id}", json={"enabled": False})
    status, said = await admin("POST", f"/api/feeds/{feed.id}/sync")
    assert (status, said["error"]) == (409, f"{feed.url} is disabled. Enable it first.")


async def test_a_deleted_feed_is_gone_until_it_is_added_again(newsroom: Newsroom, admin: Admin) -> None:
    feed = await newsroom.add_feed(source="Site", topic="world")
    path = f"/api/feeds/{feed.id}"
    assert await admin("DELETE", path) == (204, None)
    for method in ("GET", "DELETE", "PATCH"):
        assert (await admin(method, path, json={"enabled": True} if method == "PATCH" else None))[0] == 404
    assert (await admin("POST", f"{path}/sync"))[0] == 404
    assert (await admin("GET", f"/api/feeds/{uuid4()}"))[0] == 404
    status, again = await admin("POST", "/api/feeds", json={"url": feed.url})
    assert (status, again["id"]) == (201, str(feed.id))
    assert (again["source"], again["topic"], again["enforce_feed_domain"]) == ("Site", "world", True)


async def test_a_feed_is_shown_with_its_days_former_urls_and_validators(
    newsroom: Newsroom, admin: Admin
) -> None:
    feed = await newsroom.add_feed()
    await newsroom.add_items(feed, 3)
    await newsroom.fetched(feed, Outcome.TEMPORARY_ERROR, after_s=60, error="x", failures=1)
    await newsroom.fetched(feed, moved_to="https://new.example/feed", after_s=60)
    _, shown = await admin("GET", f"/api/feeds/{feed.id}")
    assert [one["url"] for one in shown["former_urls"]] == [feed.url]
    assert sum(day["added"] for day in shown["days"]) == 3
    assert sum(day["fetches"] for day in shown["days"]) == 2
    assert sum(day["failures"] for day in shown["days"]) == 1
    _, listed = await admin("GET", "/api/feeds", params={"days": "7"})
    assert listed["feeds"][0]["days"] == shown["days"]
    assert "days" not in (await admin("GET", "/api/feeds"))[1]["feeds"][0]
    assert (await admin("GET", "/api/feeds", params={"days": "31"}))[0] == 400


async def test_opml_goes_in_and_out(newsroom: Newsroom, admin: Admin, web: aiohttp.ClientSession) -> None:
    await newsroom.add_feed("https://known.example/feed", topic="мир")
    outlines = "".join(
        f'<outline type="rss" text="{name}" xmlUrl="https://{name}.example/feed"/>'
        for name in ("known", "new")
    )
    opml = f'<opml version="2.0"><body><outline text="мир">{outlines}</outline></body></opml>'
    status, imported = await admin("POST", "/api/opml", data=opml.encode())
    assert status == 200
    assert [feed["url"] for feed in imported["added"]] == ["https://new.example/feed"]
    assert [feed["url"] for feed in imported["known"]] == ["https://known.example/feed"]
    assert imported["is_cut_off"] is False
    _, half = await admin("POST", "/api/opml", data=opml.encode()[:-40])
    assert half["is_cut_off"] is True
    assert (await admin("POST", "/api/opml", data=b"<html>"))[0] == 400
    async with web.get("/api/opml") as response:
        assert "attachment" in response.headers["Content-Disposition"]
        listed = parse_opml(await response.read()).feeds
    assert {(feed.url, feed.topic) for feed in listed} == {
        ("https://known.example/feed", "мир"),
        ("https://new.example/feed", "мир"),
    }


@pytest.fixture
async def on_site(site: Site, newsroom: Newsroom, web_settings: Settings) -> AsyncIterator[Admin]:
    """A server that may fetch from the site."""
    settings = web_settings.replaced(fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0})
    async with running(newsroom.database, settings) as web:
        yield Admin(web, load_admin_token(web_settings.home))


async def test_a_sites_feeds_are_found_with_a_look_at_their_items(
    site: Site, newsroom: Newsroom, on_site: Admin
) -> None:
    feed_url = site.feed("/feed.xml", rss(entries(7)))
    site.page("/", f"<!doctype html><html><head>{link_to_feed('/feed.xml')}</head><body></body></html>")
    await newsroom.add_feed(feed_url)
    status, found = await on_site("POST", "/api/discover", json={"url": site.url("/")})
    assert status == 200
    assert [(one["url"], one["kind"], one["known"]) for one in found["found"]] == [(feed_url, "feed", True)]
    _, found = await on_site("POST", "/api/discover", json={"url": feed_url})
    assert len(found["found"][0]["items"]) == 5


async def test_a_site_without_a_feed_says_so(site: Site, on_site: Admin) -> None:
    status, said = await on_site("POST", "/api/discover", json={"url": site.url("/nothing")})
    assert (status, "404" in said["error"]) == (422, True)
    assert (await on_site("POST", "/api/discover", json={"url": "nothing"}))[0] == 400


async def test_every_change_needs_the_token(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    feed = await newsroom.add_feed()
    changes = [
        ("POST", "/api/feeds"),
        ("PATCH", f"/api/feeds/{feed.id}"),
        ("DELETE", f"/api/feeds/{feed.id}"),
        ("POST", f"/api/feeds/{feed.id}/sync"),
        ("POST", "/api/discover"),
        ("POST", "/api/opml"),
        ("PUT", "/api/marks"),
    ]
    for method, path in changes:
        async with web.request(method, path, json={}) as response:
            assert response.status == 401, path


async def test_how_much_text_is_published_is_set_changed_and_taken_away(admin: Admin) -> None:
    _, added = await admin("POST", "/api/feeds", json={"url": URL, "content": "summary"})
    assert added["options"] == {"content": "summary"}
    path = f"/api/feeds/{added['id']}"
    for content in ("none", "full", None):
        status, changed = await admin("PATCH", path, json={"content": content})
        assert (status, changed["options"].get("content")) == (200, content)
    status, changed = await admin("PATCH", path, json={"revisions": "always"})
    assert (status, changed["options"]["revisions"]) == (200, "always")
    status, _ = await admin("PATCH", path, json={"content": "everything"})
    assert status == 400


async def test_a_feed_has_its_plan_its_week_and_the_reason_for_its_next_run(
    newsroom: Newsroom, admin: Admin
) -> None:
    feed = await newsroom.add_feed()
    _, shown = await admin("GET", f"/api/feeds/{feed.id}")
    assert (shown["week"], shown["polling_sentence"], shown["polls_per_day"]) == ([], "", None)
    plan = Polling(polls_per_day=12.0, items_per_day=2.5, expected_delay_s=600.0)
    await newsroom.fetched(feed, after_s=7200, reason=PollReason.PLAN, polling=plan)
    await newsroom.database.write(save_rhythms, {feed.id: weekday_mornings(datetime.now(UTC))})
    _, shown = await admin("GET", f"/api/feeds/{feed.id}")
    assert (shown["next_run_reason"], shown["polls_per_day"]) == ("plan", 12.0)
    assert (shown["items_per_day"], shown["expected_delay_s"]) == (2.5, 600.0)
    assert shown["polling_sentence"].startswith("Usually posts on weekdays between 7 and 9; next look ")
    assert [len(day) for day in shown["week"]] == [24] * 7
    assert max(max(day) for day in shown["week"]) == 1 > 3 * max(shown["week"][6])


async def test_a_twin_of_a_followed_url_is_answered_with_the_url_that_is_followed(
    newsroom: Newsroom, admin: Admin
) -> None:
    status, added = await admin("POST", "/api/feeds", json={"url": "https://known.example/feed"})
    assert (status, added["followed_as"]) == (201, None)
    status, twin = await admin("POST", "/api/feeds", json={"url": "http://known.example/feed/"})
    assert (status, twin["added"], twin["id"]) == (200, False, added["id"])
    assert twin["followed_as"] == "https://known.example/feed"
    _, same = await admin("POST", "/api/feeds", json={"url": "https://known.example/feed"})
    assert (same["added"], same["followed_as"]) == (False, None)


async def test_twins_in_opml_are_reported_with_the_url_that_is_followed(
    newsroom: Newsroom, admin: Admin
) -> None:
    known = await newsroom.add_feed("https://known.example/feed")
    urls = ("http://known.example/feed", "https://new.example/", "http://new.example/")
    outlines = "".join(f'<outline xmlUrl="{url}"/>' for url in urls)
    _, imported = await admin("POST", "/api/opml", data=f"<opml><body>{outlines}</body></opml>".encode())
    (new,) = imported["added"]
    assert imported["twins"] == [
        {
            "url": "http://known.example/feed",
            "followed_as": "https://known.example/feed",
            "id": str(known.id),
        },
        {"url": "http://new.example/", "followed_as": "https://new.example/", "id": new["id"]},
    ]
