"""The page of one feed: its articles and history, edited in place, deleted and restored by plain forms."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest

from inforadar.actions.feed_input import basic_authorization
from inforadar.config import Settings
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.http import Outcome
from inforadar.model.ids import new_uuid
from inforadar.model.rhythm import PollReason
from inforadar.model.subscription import FeedChanges
from inforadar.store.feeds.changes import request_feeds, update_feed
from inforadar.store.feeds.credentials import load_credentials
from inforadar.store.feeds.edit import save_edit
from inforadar.store.feeds.queries import load_feed
from inforadar.store.feeds.save_credentials import save_credentials
from inforadar.store.feeds.save_rhythms import save_rhythms
from inforadar.views.times import shown_day
from inforadar.web.pages.feed_form import form_values
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.person import Person
from tests.views.test_rhythm import weekday_mornings

NAME = "Новости <b>世界</b> 🌍"
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
async def person(web: aiohttp.ClientSession, web_settings: Settings) -> Person:
    person = Person(web, web_settings)
    await person.log_in()
    return person


async def again(newsroom: Newsroom, feed: Feed) -> Feed:
    return await newsroom.database.read(load_feed, feed.id)


async def test_a_feed_has_its_month_drawn_and_as_a_table(newsroom: Newsroom, person: Person) -> None:
    feed = await newsroom.add_feed(title=NAME)
    await newsroom.fetched(feed, after_s=60)
    await newsroom.fetched(feed, Outcome.TEMPORARY_ERROR, after_s=60, error="Answered 503.", failures=1)
    await newsroom.add_items(feed, 3)
    page = await person.get("/feeds")
    assert 'class="failed"' in page.text
    assert "style=" not in page.text
    one = await person.get(f"/feeds/{feed.id}")
    today = datetime.now(UTC).date()
    day = f'<time datetime="{today}" data-day>{shown_day(today, today)}</time>'
    assert f'<th scope="row">{day}</th><td>2</td><td>1</td>' in one.text
    assert "&lt;b&gt;世界&lt;/b&gt;" in one.text
    assert "Answered 503." in one.words


async def test_a_feed_shows_where_it_was_before_it_moved(newsroom: Newsroom, person: Person) -> None:
    feed = await newsroom.add_feed("https://old.example/feed")
    await newsroom.fetched(feed, after_s=60, moved_to="https://new.example/feed")
    words = (await person.get(f"/feeds/{feed.id}")).words
    assert "new.example/feed" in words
    assert "old.example/feed until" in words


async def test_editing_changes_what_was_written_and_fetches_now(newsroom: Newsroom, person: Person) -> None:
    feed = await newsroom.add_feed(polling=False)
    given = {
        "title": NAME,
        "source": "Источник",
        "topic": "мир",
        "error_policy": "one-strike",
        "content": "none",
        "any_host": "1",
        "timezone": "Europe/Moscow",
    }
    page = await person.follow(await person.post(f"/feeds/{feed.id}", **given))
    assert page.status == 200
    found = await again(newsroom, feed)
    assert (found.title, found.source, found.topic) == (NAME, "Источник", "мир")
    assert (found.error_policy, found.enforce_feed_domain, found.polling) == ("one-strike", False, True)
    assert found.options.content == "none"
    assert found.options.timezone == "Europe/Moscow"
    assert 'name="timezone" value="Europe/Moscow"' in page.text
    assert found.requested_at is not None
    await person.post(f"/feeds/{feed.id}", title="", source="S", topic="t", error_policy="", timezone="")
    found = await again(newsroom, feed)
    assert found.options.timezone is None
    assert (found.title, found.error_policy, found.enforce_feed_domain) == (None, None, True)
    for wrong in (
        {"source": ""},
        {"topic": " "},
        {"error_policy": "odd"},
        {"content": "odd"},
        {"title": "x" * 201},
        {"timezone": "Mars"},
        {"kind": "odd"},
        {"keep_days": "-1"},
        {"keep_items": "9" * 30},
        {"cutoff_date": "soon"},
        {"include_patterns": "a\n("},
        {"fetch_titles": "perhaps"},
        {"analyzer": "odd"},
        {"prompt": "no-such-prompt"},
        {"root_domain": "a b"},
        {"headers": "X-Key"},
    ):
        answer = await person.post(f"/feeds/{feed.id}", **{**given, **wrong})
        assert answer.status == 422, wrong
        assert 'role="alert"' in answer.text
        # What was written is not lost.
        assert 'name="timezone" value="' + wrong.get("timezone", "Europe/Moscow") in answer.text
    assert await again(newsroom, feed) == found


async def test_everything_about_a_feed_can_be_edited_and_only_what_differs_is_changed(
    newsroom: Newsroom, person: Person
) -> None:
    feed = await newsroom.add_feed(polling=False)
    same = {"source": feed.source, "topic": feed.topic, "any_host": "" if feed.enforce_feed_domain else "1"}
    options = {
        "polling_mode": "fixed",
        "revisions": "always",
        "keep_days": "30",
        "keep_items": "0",
        "analyze": "no",
        "analyzer": "local",
        "model": "small",
        "prompt": "deframe",
        "cutoff_date": "2026-01-31",
        "window_days": "7",
        "include_patterns": "/news/\r\n/wire/",
        "exclude_patterns": "/video/",
        "newer_than": "2026-01-01",
        "max_age_days": "14",
        "baseline_items": "5",
        "fetch_titles": "no",
        "max_page_titles": "3",
        "retry_failed_urls": "yes",
        "max_history_days": "60",
        "cleanup_interval_days": "1",
    }
    given = {
        **same, **options, "kind": "sitemap", "root_domain": "Example.org", "user": "me", "password": " s ",
        "headers": "X-Key: k",
    }  # fmt: skip
    page = await person.follow(await person.post(f"/feeds/{feed.id}", **given))
    assert "Saved. A running worker fetches it now." in page.words
    found = await again(newsroom, feed)
    assert (found.kind, found.root_domain, found.polling) == ("sitemap", "example.org", True)
    stored = found.options.to_json()
    assert stored["include_patterns"] == ["/news/", "/wire/"]
    assert (stored["fetch_titles"], stored["retry_failed_urls"], stored["analyze"]) == (False, True, False)
    assert {name: str(stored[name]) for name in ("cutoff_date", "keep_items", "max_age_days", "prompt")} == {
        "cutoff_date": "2026-01-31", "keep_items": "0", "max_age_days": "14", "prompt": "deframe",
    }  # fmt: skip
    headers = await newsroom.database.read(load_credentials)
    assert headers[feed.id] == {"Authorization": basic_authorization("me", " s "), "X-Key": "k"}
    assert "k" not in re.findall(r'value="([^"]*)"', page.text), "secrets are never shown"
    # The form as it stands asks for nothing.
    shown = {name: value for name, value in form_values(found).items() if name not in {"user", "headers"}}
    asked = found.requested_at
    page = await person.follow(await person.post(f"/feeds/{feed.id}", **shown))
    assert "Nothing was changed." in page.words
    assert (await again(newsroom, feed)).requested_at == asked
    await person.post(f"/feeds/{feed.id}", **shown, forget_credentials="1")
    assert not await newsroom.database.read(load_credentials)
    await person.post(f"/feeds/{feed.id}", **{**shown, **dict.fromkeys(options, "")})
    assert (await again(newsroom, feed)).options.to_json() == {}


async def test_another_address_starts_the_feed_over_and_the_page_says_what_was_deleted(
    newsroom: Newsroom, person: Person
) -> None:
    feed = await newsroom.add_feed()
    await newsroom.fetched(feed, Outcome.PERMANENT_ERROR, error="It answered 404.", failures=3)
    await newsroom.database.write(save_credentials, feed.id, {"X-Key": "k"})
    shown = await person.get(f"/feeds/{feed.id}")
    assert f'name="url" value="{feed.url}"' in shown.text
    given = {"source": feed.source, "topic": feed.topic}
    new = "https://other.example/feed"
    page = await person.follow(await person.post(f"/feeds/{feed.id}", **given, url=new))
    assert "Its headers and password were deleted, because they belong to the former site." in page.words
    found = await again(newsroom, feed)
    assert (found.url, found.last_error, found.failures) == (new, None, 0)
    assert found.requested_at is not None
    await person.post(f"/feeds/{feed.id}", **given, url=new)
    assert (await again(newsroom, feed)).url == new
    taken = await newsroom.add_feed("https://taken.example/feed")
    answer = await person.post(f"/feeds/{feed.id}", **given, url=taken.url)
    assert (answer.status, "already the URL of another feed" in answer.words) == (422, True)
    assert (await again(newsroom, feed)).url == new


@pytest.mark.parametrize("kind", ["feed", "pages", "sitemap"])
async def test_a_deleted_feed_comes_back_by_undo_and_from_the_list_of_deleted_ones(
    newsroom: Newsroom, person: Person, kind: str
) -> None:
    feed = await newsroom.add_feed(title=NAME)
    options = {"selectors": {"item": "li", "link": "a", "title": "a", "date": "time"}}
    changes = FeedChanges(kind=FeedKind(kind), options=options if kind == "pages" else {"window_days": 3})
    await newsroom.database.write(save_edit, feed.id, changes)
    before = await again(newsroom, feed)
    page = await person.follow(await person.post(f"/feeds/{feed.id}/delete", back="q=a"))
    assert f"{NAME} was deleted." in page.words
    assert f'action="/feeds/{feed.id}/restore"' in page.text
    assert (await again(newsroom, feed)).deleted_at is not None
    gone = await person.get(f"/feeds/{feed.id}")
    assert (gone.status, "This feed was deleted" in gone.words) == (410, True)
    assert (await person.post(f"/feeds/{feed.id}", source="a", topic="b")).status == 404
    listed = await person.get("/feeds/deleted")
    assert "&lt;b&gt;世界&lt;/b&gt;" in listed.text
    page = await person.follow(await person.post(f"/feeds/{feed.id}/restore"))
    assert "Restored, with its settings and its articles." in page.words
    assert await again(newsroom, feed) == before
    assert "No feed was deleted." in (await person.get("/feeds/deleted")).words
    assert (await person.post(f"/feeds/{feed.id}/restore")).status == 400
    assert (await person.get(f"/feeds/{new_uuid()}")).status == 404
    # The link of an old Undo says nothing wrong.
    assert "was deleted" not in (await person.get(f"/feeds?deleted={feed.id}")).words


async def test_a_feeds_page_lists_its_articles_and_how_its_outcomes_changed(
    newsroom: Newsroom, person: Person
) -> None:
    feed = await newsroom.add_feed()
    other = await newsroom.add_feed("https://other.example/")
    await newsroom.add_item(feed, "https://news.example/1", title=NAME)
    await newsroom.add_item(other, "https://other.example/1", title="Elsewhere")
    ends = (
        (Outcome.SUCCESS, None),
        (Outcome.TEMPORARY_ERROR, "Answered 503."),
        (Outcome.TEMPORARY_ERROR, "Answered 503."),
        (Outcome.TEMPORARY_ERROR, HOSTILE),
        (Outcome.SUCCESS, None),
        (Outcome.SUCCESS, None),
    )
    for number, (outcome, error) in enumerate(ends):
        ago = timedelta(hours=len(ends) - number)
        await newsroom.fetched(feed, outcome, error=error, after_s=60, failures=1, ago=ago)
    page = await person.get(f"/feeds/{feed.id}")
    assert "&lt;b&gt;世界&lt;/b&gt;" in page.text
    assert "Elsewhere" not in page.words
    assert re.findall(r'class="outcome (\w+)"', page.text) == ["ok", "wait", "wait", "ok"]
    assert "temporary error 5 hours ago to 3 hours ago Answered 503." in page.words
    assert HOSTILE not in page.text
    failed = re.findall(r"(\d) × temporary error", page.words)
    assert sum(map(int, failed)) == 3, "on one day, or two around midnight"


async def test_a_feed_that_is_being_fetched_says_so_and_is_looked_at_again(
    newsroom: Newsroom, person: Person
) -> None:
    feed = await newsroom.add_feed()
    assert "data-awaited" not in (await person.get(f"/feeds/{feed.id}")).text
    await newsroom.database.write(request_feeds, [feed.id])
    page = await person.get(f"/feeds/{feed.id}")
    assert "It is being fetched; this page fills itself." in page.words
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in page.text
    await newsroom.database.write(update_feed, feed.id, {"enabled": False})
    assert "data-awaited" not in (await person.get(f"/feeds/{feed.id}")).text


async def test_a_feed_says_when_it_posts_and_why_it_is_looked_at_then(
    newsroom: Newsroom, person: Person
) -> None:
    feed = await newsroom.add_feed()
    await newsroom.fetched(feed, after_s=7200, reason=PollReason.TTL)
    page = await person.get(f"/feeds/{feed.id}")
    assert "When it posts" in page.words
    assert "The feed asks for that interval (ttl)." in page.words
    assert 'class="week"' not in page.text
    await newsroom.database.write(save_rhythms, {feed.id: weekday_mornings(datetime.now(UTC))})
    page = await person.get(f"/feeds/{feed.id}")
    assert "Usually posts on weekdays between 7 and 9; next look " in page.words
    shades = {
        (day, int(hour)): float(shade)
        for shade, day, hour in re.findall(
            r'fill-opacity="([\d.]+)"><title>(\w+), (\d+) to \d+</title>', page.text
        )
    }
    assert len(shades) == 7 * 24
    assert max(shades.values()) == 1
    assert min(shades["Monday", hour] for hour in (7, 8)) > 3 * shades["Monday", 20]
    assert shades["Monday", 8] > 3 * shades["Sunday", 8]
