"""Adding on the page: by an address, by selectors, by a list of feeds; all of it without scripts."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import date

import pytest

from inforadar.config import Settings
from inforadar.model.feed import FeedKind
from inforadar.store.feeds.queries import load_feeds
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.person import Person
from tests.support.faces.serving import running
from tests.support.site.documents import entries, link_to_feed, rss
from tests.support.site.paged import SELECTORS, PagedSite
from tests.support.site.server import Site

OPML = """<?xml version="1.0"?><opml version="2.0"><body><outline text="мир">
<outline type="rss" text="&lt;b&gt;Known" xmlUrl="https://known.example/feed"/>
<outline type="rss" text="Новости 🌍" xmlUrl="https://new.example/feed"/>
<outline type="rss" text="Odd" xmlUrl="javascript:alert(1)"/></outline></body></opml>""".encode()


@pytest.fixture
async def person(site: Site, newsroom: Newsroom, web_settings: Settings) -> AsyncIterator[Person]:
    """At a server that may fetch from the site, and need not wait between two requests."""
    settings = web_settings.replaced(fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0})
    async with running(newsroom.database, settings) as web:
        person = Person(web, settings)
        await person.log_in()
        yield person


async def test_a_sites_feed_is_found_looked_into_and_added(
    site: Site, newsroom: Newsroom, person: Person
) -> None:
    feed_url = site.feed("/feed.xml", rss(entries(7)))
    site.page("/", f"<!doctype html><html><head>{link_to_feed('/feed.xml')}</head><body></body></html>")
    found = await person.post("/add", url=f" {site.url('/')} ")
    assert found.status == 200
    assert "named by the page" in found.words
    assert found.text.partition("<main")[2].count("<li>") == 5
    assert not await newsroom.database.read(load_feeds)
    page = await person.follow(await person.post("/add/feed", url=feed_url, kind="feed", topic="мир"))
    assert "Added. It is fetched now, and this page fills itself." in page.words
    (feed,) = await newsroom.database.read(load_feeds)
    assert (feed.url, feed.topic, feed.enabled, feed.polling) == (feed_url, "мир", True, True)
    assert feed.requested_at is not None
    again = await person.post("/add", url=feed_url)
    assert f'You have this one already: <a href="/feeds/{feed.id}">' in again.text
    page = await person.follow(await person.post("/add/feed", url=feed_url))
    assert "You have this one already." in page.words


async def test_a_twin_of_a_followed_url_is_named_before_and_after_adding(
    site: Site, newsroom: Newsroom, person: Person
) -> None:
    asked = site.feed("/feed.xml", rss(entries(2)))
    feed = await newsroom.add_feed(f"{asked}/")
    found = await person.post("/add", url=asked)
    assert f'You already follow this as <a href="/feeds/{feed.id}"><bdi>{asked}/</bdi></a>.' in found.text
    assert 'action="/add/feed"' not in found.text
    page = await person.follow(await person.post("/add/feed", url=asked))
    assert f"You already follow this as {asked}/. Nothing was changed." in page.words
    assert [one.id for one in await newsroom.database.read(load_feeds)] == [feed.id]


async def test_the_cutoff_of_the_settings_is_that_of_an_added_feed(
    newsroom: Newsroom, web_settings: Settings
) -> None:
    settings = web_settings.replaced(fetcher={"cutoff_date": date(2020, 1, 2)})
    async with running(newsroom.database, settings) as web:
        person = Person(web, settings)
        await person.log_in()
        await person.post("/add/feed", url="https://habr.com/ru/articles/")
        await person.post(
            "/opml", text='<opml><body><outline xmlUrl="https://habr.com/ru/news/"/></body></opml>'
        )
    added = await newsroom.database.read(load_feeds)
    assert [feed.options.cutoff_date for feed in added] == [date(2020, 1, 2)] * 2
    assert [feed.enforce_feed_domain for feed in added] == [False] * 2


async def test_a_feed_that_is_named_and_not_there_is_shown_without_items(site: Site, person: Person) -> None:
    site.page("/", f"<!doctype html><html><head>{link_to_feed('/gone.xml')}</head><body></body></html>")
    found = await person.post("/add", url=site.url("/"))
    assert "/gone.xml" in found.words
    assert "<li>" not in found.text.partition("<main")[2]


async def test_what_cannot_be_found_is_said_in_plain_words(site: Site, person: Person) -> None:
    site.page("/bare", "<!doctype html><html><body><p>Nothing.</p></body></html>")
    bare = await person.post("/add", url=site.url("/bare"))
    assert bare.status == 422
    assert "links to no feed" in bare.words
    assert "say where they stand on it" in bare.words
    assert "--selectors" not in bare.words
    for url, sentence in {
        site.url("/nothing"): "404",
        "": "Paste an address first.",
        "ftp://x.example/": "not a valid URL",
        "127.0.0.1:1/": "not allowed",
        'x"><script>alert(1)</script>': "not a valid URL",
    }.items():
        answer = await person.post("/add", url=url)
        assert (answer.status, answer.text.count("<script>alert")) == (422, 0), url
        assert 'role="alert"' in answer.text
        assert sentence in answer.words or url == "127.0.0.1:1/"
    assert (await person.post("/add/feed", url="https://x.example/", kind="odd")).status == 400
    assert (await person.post("/add/feed", url="")).status == 400


async def test_selectors_are_tried_out_and_the_site_is_asked_once(
    site: Site, newsroom: Newsroom, person: Person
) -> None:
    paged = PagedSite(site)
    paged.publish(8)
    empty = await person.get("/add?kind=pages&url=https%3A%2F%2Fx.example%2F%22%3E%3Cb%3E")
    assert 'value="https://x.example/&#34;&gt;&lt;b&gt;"' in empty.text
    given = {"url": paged.url, **SELECTORS}
    first = await person.post("/add/pages", **given, do="preview")
    assert "5 items would be taken" in first.words
    assert "Post 4" in first.words
    wrong = await person.post("/add/pages", **{**given, "author": ".nobody"}, do="preview")
    assert "`author` matches nothing in any of the 5 items." in wrong.words
    undated = await person.post("/add/pages", **{**given, "date": ".nowhere"}, do="preview")
    assert "0 of 5 items would be taken" in undated.words
    part = await person.post("/add/pages?part=1", **given)
    assert "5 items would be taken" in part.words
    assert "<html" not in part.text
    assert len([one for one in site.requests if one.path.startswith(paged.path)]) == 1
    assert not await newsroom.database.read(load_feeds)
    page = await person.follow(
        await person.post("/add/pages", **given, topic="a", cutoff="2026-01-31", do="add")
    )
    assert 'name="item" value="article.post"' in page.text
    (feed,) = await newsroom.database.read(load_feeds)
    assert (feed.kind, feed.options.cutoff_date) == (FeedKind.PAGES, date(2026, 1, 31))
    assert feed.options.selectors == dict(SELECTORS)


async def test_a_page_is_shown_as_soon_as_its_items_are_known_and_the_rest_is_guessed(
    site: Site, newsroom: Newsroom, person: Person
) -> None:
    paged = PagedSite(site)
    paged.publish(8)
    given = {"url": paged.url, "item": SELECTORS["item"]}
    page = await person.post("/add/pages", **given, do="preview")
    assert (page.status, "5 items would be taken" in page.words) == (200, True)
    guesses = dict(re.findall(r'<code data-guess="(\w+)">([^<]+)</code>', page.text))
    assert guesses.keys() == {"link", "title", "date"}
    # Without a script, the guesses stand in the form, and adding takes them.
    assert all(f'name="{name}" value="{selector}"' in page.text for name, selector in guesses.items())
    missing = await person.post("/add/pages", **given, do="add")
    assert (missing.status, "`link` is missing." in missing.words) == (422, True)
    page = await person.follow(await person.post("/add/pages", **given, **guesses, do="add"))
    (feed,) = await newsroom.database.read(load_feeds)
    # The same on the page of the feed, where the selectors are edited.
    path = f"/feeds/{feed.id}/selectors"
    tried = await person.post(path, **{**SELECTORS, "author": ".nobody"}, do="preview")
    assert "`author` matches nothing in any of the 5 items." in tried.words
    assert 'value=".nobody"' in tried.text
    part = await person.post(f"{path}?part=1", item=SELECTORS["item"])
    assert "5 items would be taken" in part.words
    assert "<html" not in part.text
    wrong = await person.post(path, **{**SELECTORS, "link": "h2 ["}, do="save")
    assert (wrong.status, "`link` is not a valid CSS selector" in wrong.words) == (422, True)
    page = await person.follow(await person.post(path, **SELECTORS, do="save"))
    assert "Saved." in page.words
    (feed,) = await newsroom.database.read(load_feeds)
    assert feed.options.selectors == dict(SELECTORS)
    assert len([one for one in site.requests if one.path.startswith(paged.path)]) == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"item": ""}, "`item` is missing."),
        ({"link": "h2 ["}, "`link` is not a valid CSS selector"),
        ({"first_page": "x"}, "`first_page` must be a whole number"),
        ({"cutoff": "soon", "do": "add"}, "is not a date"),
        ({"url": "no url"}, "not a valid URL"),
    ],
)
async def test_selectors_that_cannot_be_used_say_why_and_stay_in_the_form(
    newsroom: Newsroom, person: Person, change: dict[str, str], sentence: str
) -> None:
    given = {"url": "https://x.example/", **SELECTORS, "author": ".kept", **change}
    answer = await person.post("/add/pages", **given)
    assert answer.status == 422
    assert sentence in answer.words
    assert 'value=".kept"' in answer.text
    assert not await newsroom.database.read(load_feeds)


async def test_a_list_of_feeds_is_imported_with_a_report(newsroom: Newsroom, person: Person) -> None:
    await newsroom.add_feed("https://known.example/feed", topic="мир", title="<b>Known")
    report = await person.upload("/opml", file=OPML)
    assert "1 feed added, 1 known already, 1 skipped" in report.words
    assert "Новости 🌍" in report.words
    assert "javascript:alert(1)" in report.words
    assert 'href="javascript' not in report.text
    assert "<b>" not in report.text
    pasted = await person.post("/opml", text=OPML.decode())
    assert "0 feeds added, 2 known already" in pasted.words


async def test_twins_in_a_list_of_feeds_are_reported_with_the_url_that_is_followed(
    newsroom: Newsroom, person: Person
) -> None:
    feed = await newsroom.add_feed("https://known.example/feed")
    text = '<opml><body><outline xmlUrl="http://me:secret@known.example/feed/"/></body></opml>'
    report = await person.post("/opml", text=text)
    assert "0 feeds added, 1 known already" in report.words
    assert (
        "http://known.example/feed/ : you already follow this as https://known.example/feed" in report.words
    )
    assert f'as <a href="/feeds/{feed.id}">' in report.text
    assert "secret" not in report.text


async def test_half_a_list_says_that_it_is_half(person: Person) -> None:
    report = await person.upload("/opml", file=OPML[: OPML.index("Новости".encode())])
    assert "1 feed added" in report.words
    assert "The file was cut off" in report.words
    whole = await person.upload("/opml", file=OPML)
    assert "cut off" not in whole.words


async def test_a_list_that_is_none_says_so(person: Person) -> None:
    for data, sentence in ((b"<html>", "OPML"), (b"", "Choose a file"), (b" \n", "Choose a file")):
        answer = await person.upload("/opml", file=data)
        assert answer.status == 422
        assert sentence in answer.words
    person.headers |= {"Content-Type": "multipart/form-data; boundary=x"}
    broken = f'--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n{person.csrf}\r\n--x'
    assert (await person.send("/opml", broken.encode())).status == 400
