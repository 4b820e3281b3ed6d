from __future__ import annotations

import gzip
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import pytest

from inforadar.config import Settings
from inforadar.model.analysis import Score
from inforadar.model.article import Extracted, FailureCode, NotExtracted
from inforadar.model.http import Outcome
from inforadar.model.ids import new_uuid
from inforadar.model.person import FIRST_PERSON
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.analyses.claims import claim_analyses
from inforadar.store.analyses.save import save_analysis
from inforadar.store.database import open_database
from inforadar.store.feeds.changes import update_feed
from inforadar.store.feeds.delete_feeds import delete_feed
from inforadar.store.people.save_marks import save_marks
from inforadar.store.schema.items import item_changes
from inforadar.store.upkeep.delete_surplus import delete_history
from inforadar.web.http.admin_token import load_admin_token
from inforadar.web.pages.assets import FOLDER
from inforadar.web.pages.item_query import PAGE_ITEMS
from tests.support.faces.fixtures import Page
from tests.support.faces.newsroom import Newsroom, analysis
from tests.support.faces.serving import running

OUR_SCRIPT = r'<script type="module" src="/static/[a-z]+\.js\?v=[0-9a-f]+">'
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)> \u202eesrever & {{ 7*7 }}"


async def test_every_answer_carries_the_security_headers(web: aiohttp.ClientSession) -> None:
    for path in ("/", "/feeds", "/rss", "/health", "/nothing", "/static/style.css"):
        async with web.get(path) as response:
            policy = response.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            assert "script-src 'self';" in policy
            assert "unsafe" not in policy
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert response.headers["Referrer-Policy"] == "same-origin"


async def test_an_empty_database_says_how_to_begin(page: Page) -> None:
    welcome = await page("/")
    assert all(f'href="/{way}"' in welcome for way in ("add", "opml", "add?kind=pages"))
    assert "There is no feed yet" in await page("/feeds")


async def test_feeds_without_articles_say_what_comes_next(newsroom: Newsroom, page: Page) -> None:
    await newsroom.add_feed()
    assert "nothing has been collected from them" in await page("/")


async def test_the_list_shows_an_item_with_its_neutral_title_and_score(
    newsroom: Newsroom, page: Page
) -> None:
    feed = await newsroom.add_feed(source="Habr", topic="python")
    at = datetime.now(UTC) - timedelta(hours=3, minutes=5)
    url = "https://news.example/1"
    await newsroom.add_item(feed, url, title="Minister SLAMS critics", published_at=at)
    await newsroom.finish_articles({url: Extracted(clean_text="Text.", markdown="Text.")})
    await newsroom.finish_analyses({url: analysis(0.81, title="Minister answers critics")})
    text = await page("/")
    assert "Minister SLAMS critics" in text
    assert "Minister answers critics" in text
    assert re.search(r'class="band loaded".*</svg>loaded</span>', text)
    assert f'<time datetime="{at:%Y-%m-%dT%H:%M:%SZ}"' in text
    assert ">3 hours ago</time>" in text


async def test_an_entry_that_is_kept_shows_what_changed_and_leads_to_its_list(
    newsroom: Newsroom, web: aiohttp.ClientSession, web_settings: Settings
) -> None:
    admin = {"Authorization": f"Bearer {load_admin_token(web_settings.home)}"}

    async def entry(**query: str) -> str:
        async with web.get("/", headers=admin, params=query) as response:
            found = re.search(r'<li class="entry.*?</li>', await response.text(), re.DOTALL)
            assert found, query
            return found[0]

    url = "https://news.example/1"
    item = await newsroom.add_item(await newsroom.add_feed(), url, title="Ferry <BEHIND> ITEM-ID паром 🚢")
    await SearchIndexer(database=newsroom.database).run_once()
    for _ in range(2):
        everything = await entry()
        assert f'href="/item/{item.id}">Ferry &lt;BEHIND&gt; ITEM-ID паром 🚢</a>' in everything
        assert f'href="/item/{item.id}?show=unread&amp;at=' in await entry(show="unread")
        found = await entry(q="ferry")
        assert re.search(rf'href="/item/{item.id}\?q=ferry"><mark[^>]*>Ferry</mark> &lt;BEHIND', found), found
    assert "<mark" not in await entry()
    await newsroom.change(item, title=("Ferry", "Ferry late"))
    assert ">Ferry late</a>" in await entry()
    await newsroom.database.write(save_marks, FIRST_PERSON, url, {"starred": True}, datetime.now(UTC))
    assert '<li class="entry starred"' in await entry()
    await newsroom.analyze({url: 0.81})
    assert 'class="band loaded"' in await entry()


@pytest.mark.parametrize(
    ("value", "word"),
    [(0.33, None), (0.34, "slanted"), (0.66, "slanted"), (0.67, "loaded")],
)
async def test_a_chip_stands_only_where_it_says_something(
    newsroom: Newsroom, page: Page, value: float, word: str | None
) -> None:
    url = "https://news.example/1"
    item = await newsroom.add_item(await newsroom.add_feed(), url)
    await newsroom.finish_articles({url: Extracted(clean_text="Text.", markdown="Text.")})
    await newsroom.finish_analyses({url: analysis(value)})
    assert re.findall(r'class="band (\w+)"', await page("/")) == ([word] if word else [])
    # The decimals stand in the article's analysis.
    assert f"{value:.2f}</span> {word or 'neutral'}" in await page(f"/item/{item.id}")


async def test_a_score_that_was_not_measured_is_told_apart_from_none(newsroom: Newsroom, page: Page) -> None:
    feed = await newsroom.add_feed()
    item = await newsroom.add_item(feed, "https://news.example/ja", title="Japanese")
    await newsroom.add_item(feed, "https://news.example/new", title="New")
    await newsroom.analyze({"https://news.example/ja": None})
    assert (await page("/")).count('class="band none">not measured</span>') == 1
    shown = await page(f"/item/{item.id}")
    assert ">not measured</span>" in shown
    assert 'class="bar none"' not in shown, "the parts were measured"


async def test_a_neutral_title_that_says_the_same_is_not_repeated(newsroom: Newsroom, page: Page) -> None:
    url = "https://news.example/1"
    await newsroom.add_item(await newsroom.add_feed(), url, title="A  calm\ntitle")
    await newsroom.finish_articles({url: Extracted(clean_text="Text.", markdown="Text.")})
    await newsroom.finish_analyses({url: analysis(0.1, title="A calm title")})
    assert (await page("/")).count("A calm title") == 1


async def test_hostile_text_stays_text_on_every_page(newsroom: Newsroom, page: Page) -> None:
    feed = await newsroom.add_feed(source=HOSTILE, topic=HOSTILE, title=HOSTILE)
    url = "https://news.example/1"
    item = await newsroom.add_item(
        feed, url, title=HOSTILE, snippet=HOSTILE, author=HOSTILE, language='en"><b>'
    )
    await newsroom.finish_articles({url: Extracted(clean_text=HOSTILE, markdown="", language='en"><b>')})
    score = Score(value=0.5, reason=HOSTILE)
    fields = {"title": f"neutral {HOSTILE}", "summary": HOSTILE, "facts": (HOSTILE,), "framing": score}
    await newsroom.finish_analyses({url: analysis(0.5, model=HOSTILE, **fields)})
    await newsroom.change(item, author=(HOSTILE, HOSTILE + "2"), tags=((HOSTILE,), (HOSTILE, "b")))
    await newsroom.fetched(feed, Outcome.PERMANENT_ERROR, error=HOSTILE, failures=1)
    for path in ("/", f"/item/{item.id}", "/feeds"):
        text = await page(path)
        assert "&lt;script&gt;alert(1)" in text
        assert re.findall("<script[^>]*>", text) == re.findall(OUR_SCRIPT, text)
        assert all('src="/favicon/' in image for image in re.findall("<img[^>]*>", text))
        assert "<b>" not in text
        assert "{{ 7*7 }}" in text


async def test_a_title_in_another_direction_does_not_turn_its_neighbours(
    newsroom: Newsroom, page: Page
) -> None:
    feed = await newsroom.add_feed(source="أخبار")
    await newsroom.add_item(feed, "https://news.example/1", title="مجلس المدينة")
    text = await page("/")
    assert re.search(r'<h2 dir="auto"><a [^>]*>مجلس المدينة</a></h2>', text)
    assert "<bdi>أخبار</bdi>" in text


async def test_only_web_addresses_become_links(newsroom: Newsroom, page: Page) -> None:
    feed = await newsroom.add_feed()
    await newsroom.database.write(update_feed, feed.id, {"site_url": "javascript:alert(1)"})
    item = await newsroom.add_item(feed, "javascript:alert(document.domain)", title=None)
    assert "javascript:" not in await page("/feeds")
    assert 'href="javascript:' not in await page(f"/item/{item.id}")
    assert 'href="javascript:' not in await page("/")


async def test_links_to_elsewhere_tell_nothing(newsroom: Newsroom, page: Page) -> None:
    feed = await newsroom.add_feed()
    item = await newsroom.add_item(feed, "https://news.example/1?a=1&b=<>")
    for path in (f"/feeds/{feed.id}", f"/item/{item.id}"):
        links = re.findall(r'<a [^>]*href="https?:[^>]*>', await page(path))
        assert links
        assert all('rel="noopener noreferrer"' in link for link in links)


async def test_the_list_is_paged_newest_first(newsroom: Newsroom, page: Page) -> None:
    await newsroom.add_items(await newsroom.add_feed(), PAGE_ITEMS + 2)
    first = await page("/")
    assert first.index(">Number 1<") < first.index(">Number 2<")
    assert f">Number {PAGE_ITEMS + 1}<" not in first
    assert ">Newest</a>" not in first
    (cursor,) = re.findall(r'rel="next" href="/\?after=([^"]+)"', first)
    second = await page("/", after=cursor)
    assert f">Number {PAGE_ITEMS + 1}<" in second
    assert f">Number {PAGE_ITEMS + 2}<" in second
    assert '<a href="/">Newest</a>' in second
    assert 'rel="next"' not in second


@pytest.mark.parametrize(
    "wrong", [{"after": "x"}, {"after": "²"}, {"show": "everything"}, {"score": "0.5"}, {"after": "9" * 400}]
)
async def test_what_the_list_does_not_know_is_said(web: aiohttp.ClientSession, wrong: dict[str, str]) -> None:
    async with web.get("/", params=wrong) as response:
        assert response.status == 400
        assert "Bad request" in await response.text()


async def test_the_sidebar_leads_to_topics_and_feeds(newsroom: Newsroom, page: Page) -> None:
    feeds = {}
    for source, topic in (("Habr", "python"), ("Habr", "go"), ("Хабр & Ко", "python")):
        feed = feeds[source, topic] = await newsroom.add_feed(
            f"https://{topic}.example/{source}", source=source, topic=topic
        )
        await newsroom.add_item(feed, f"https://{topic}.example/{source}/1", title=f"{source} on {topic}")
    start = await page("/")
    chosen = feeds["Habr", "go"]
    assert f'href="/?feed={chosen.id}"' in start
    assert f'src="/favicon/{chosen.id}"' in start
    one = await page("/", feed=str(chosen.id))
    assert ">Habr on go</a>" in one
    assert "on python</a>" not in one
    assert "<h1><bdi>Habr</bdi>" in one
    python = await page("/", topic="python")
    assert python.count("on python</a>") == 2
    assert ">Habr on go</a>" not in python
    assert 'href="/?topic=python" aria-current="true"' in python
    both = await page("/", source="Habr", topic="python")
    assert ">Habr on python</a>" in both
    assert "Ко on" not in both


async def test_filters_that_fit_nothing_say_so(newsroom: Newsroom, page: Page) -> None:
    await newsroom.add_feed(source="Habr")
    assert "Nothing here with these filters" in await page("/", source="nobody")


async def test_an_article_shows_its_text_scores_and_changes(newsroom: Newsroom, page: Page) -> None:
    url = "https://news.example/1"
    item = await newsroom.add_item(
        await newsroom.add_feed(source="Habr"), url, author="Іван", views=2140, rating=0.0
    )
    await newsroom.finish_articles({url: Extracted(clean_text="One.\n\n\nTwo\nlines.", markdown="")})
    framing = Score(value=0.634, reason="A loaded verb.")
    await newsroom.finish_analyses({url: analysis(0.5, title="Neutral", framing=framing)})
    await newsroom.change(item, title=("Before", "After"), views=(None, 0))
    text = await page(f"/item/{item.id}")
    assert "<p>One.</p>" in text
    assert "<p>Two\nlines.</p>" in text
    assert 'width="63.4"' in text
    assert "A loaded verb." in text
    assert len(re.findall('class="bar ', text)) == 5
    assert "<bdi>Іван</bdi>" in text
    assert "rating 0" in text
    assert "<del><bdi>Before</bdi></del>" in text
    assert "<ins><bdi>After</bdi></ins>" in text
    assert "<ins><bdi>0</bdi></ins>" in text


async def test_an_article_whose_changes_are_no_longer_kept_does_not_claim_that_there_were_none(
    newsroom: Newsroom, page: Page
) -> None:
    item = await newsroom.add_item(await newsroom.add_feed(), "https://news.example/1")
    assert "Nothing has changed" in await page(f"/item/{item.id}")
    await newsroom.change(item, title=("Before", "After"))
    await newsroom.database.write(delete_history, datetime.now(UTC) + timedelta(days=1), item_changes)
    text = await page(f"/item/{item.id}")
    assert "Nothing has changed" not in text
    assert "no longer kept" in text


async def test_an_article_without_text_says_why(newsroom: Newsroom, page: Page) -> None:
    url = "https://news.example/1"
    item = await newsroom.add_item(await newsroom.add_feed(), url, snippet="The snippet.")
    assert "has not been fetched yet" in await page(f"/item/{item.id}")
    await newsroom.finish_articles({url: NotExtracted(code=FailureCode.EMPTY, detail="behind a paywall")})
    text = await page(f"/item/{item.id}")
    assert "There is no full text: behind a paywall (FAIL_EMPTY)." in text
    assert "The snippet." in text


async def test_items_of_disabled_and_deleted_feeds_are_never_served(
    newsroom: Newsroom, web: aiohttp.ClientSession, page: Page
) -> None:
    for number, hide in enumerate(("disable", "delete")):
        feed = await newsroom.add_feed(f"https://news.example/{number}")
        item = await newsroom.add_item(feed, f"https://news.example/{number}/1", title="Hidden")
        if hide == "disable":
            await newsroom.database.write(update_feed, feed.id, {"enabled": False})
        else:
            await newsroom.database.write(delete_feed, feed.id, datetime.now(UTC))
        assert "Hidden" not in await page("/")
        async with web.get(f"/item/{item.id}") as response:
            assert response.status == 404


async def test_what_is_not_there_is_a_page_in_the_same_style(web: aiohttp.ClientSession) -> None:
    for path in ("/nothing", f"/item/{new_uuid()}", "/item/x", "/static/nothing.css", "/static/..%2fapp.py"):
        async with web.get(path) as response:
            assert response.status == 404
            text = await response.text()
            assert "Info Radar" in text
            assert 'href="/"' in text


async def test_pages_are_only_read(web: aiohttp.ClientSession, web_settings: Settings) -> None:
    admin = {"Authorization": f"Bearer {load_admin_token(web_settings.home)}"}
    async with web.post("/", headers=admin) as response:
        assert response.status == 405
        assert "GET" in response.headers["Allow"]


async def test_the_feeds_tell_their_health_in_words(newsroom: Newsroom, page: Page) -> None:
    fine = await newsroom.add_feed("https://fine.example/", title="Fine")
    waiting = await newsroom.add_feed("https://waiting.example/", title="Waiting")
    dead = await newsroom.add_feed("https://dead.example/?a=1&b=2", title="Dead")
    await newsroom.add_feed("https://off.example/", title="Off", enabled=False)
    await newsroom.fetched(fine, after_s=3630)
    await newsroom.fetched(waiting, Outcome.TEMPORARY_ERROR, after_s=700, error="Answered 429.", failures=1)
    await newsroom.fetched(dead, Outcome.PERMANENT_ERROR, error="Answered 410 Gone.", failures=1)
    text = await page("/feeds")
    rows = {
        name: next(row for row in text.split("<tr>") if f"<bdi>{name}</bdi>" in row)
        for name in ("Fine", "Waiting", "Dead", "Off")
    }
    assert 'class="state success"' in rows["Fine"]
    assert "in 1 hour" in rows["Fine"]
    assert 'class="state waiting"' in rows["Waiting"]
    assert "Answered 429." in rows["Waiting"]
    assert 'class="state suspended"' in rows["Dead"]
    assert "Answered 410 Gone." in rows["Dead"]
    assert "/rss?url=https%3A%2F%2Fdead.example%2F%3Fa%3D1%26b%3D2" in rows["Dead"]
    assert 'class="state disabled"' in rows["Off"]
    assert "/rss" not in rows["Off"]
    assert "1 feed needs you" in text
    assert "1 feed needs you" in await page("/")


async def test_a_style_sheet_is_kept_as_long_as_its_name(web: aiohttp.ClientSession, page: Page) -> None:
    found = re.search(r'href="(/static/style\.css\?v=\w+)"', await page("/"))
    assert found
    async with web.get(found[1]) as response:
        assert response.status == 200
        assert response.headers["Content-Type"] == "text/css; charset=utf-8"
        assert "immutable" in response.headers["Cache-Control"]
    async with web.get("/static/style.css?v=old") as response:
        assert response.headers["Cache-Control"] == "no-cache"


async def test_the_first_page_is_small_and_has_nothing_inline(
    newsroom: Newsroom, web: aiohttp.ClientSession, page: Page
) -> None:
    await newsroom.add_items(await newsroom.add_feed(), PAGE_ITEMS)
    text = await page("/")
    size = len(gzip.compress(text.encode()))
    scripts = [
        path.name for path in FOLDER.glob("*.js") if path.name not in {"busy.js", "fetch.js", "selectors.js"}
    ]
    for name in ("style.css", *scripts, "icon.svg", "icons.svg"):
        async with web.get(f"/static/{name}") as response:
            size += len(gzip.compress(await response.read()))
    assert size < 100_000
    assert re.findall("<script[^>]*>", text) == re.findall(OUR_SCRIPT, text)
    assert "style=" not in text


async def test_an_analysis_that_cannot_be_read_hides_only_itself(newsroom: Newsroom, page: Page) -> None:
    url = "https://news.example/1"
    item = await newsroom.add_item(await newsroom.add_feed(), url, title="Still here")
    await newsroom.finish_articles({url: Extracted(clean_text="Text.", markdown="")})
    (job,) = await newsroom.database.write(claim_analyses, 1)
    await newsroom.database.write(save_analysis, job, {"title": 1}, 0.5, datetime.now(UTC))
    for path in ("/", f"/item/{item.id}"):
        text = await page(path)
        assert "Still here" in text
    assert "Not analyzed yet" in text


async def test_an_unexpected_fault_is_a_page_without_details(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    await newsroom.database.close()
    async with web.get("/") as response:
        assert response.status == 500
        text = await response.text()
        assert "That was our fault" in text
        assert "Traceback" not in text


async def test_without_a_database_the_page_says_so(web_settings: Settings, tmp_path: Path) -> None:
    async with (
        open_database(f"sqlite:///{tmp_path}/missing/inforadar.db") as database,
        running(database, web_settings) as web,
    ):
        for path in ("/", "/feeds", f"/item/{new_uuid()}"):
            async with web.get(path) as response:
                assert response.status == 503
                text = await response.text()
                assert "The database does not answer" in text
                assert str(tmp_path) not in text


async def test_the_feeds_own_text_is_read_where_the_page_gives_none(newsroom: Newsroom, page: Page) -> None:
    url = "https://news.example/1"
    own = "<p>Рада <b>проголосувала</b> за закриття.</p>"
    item = await newsroom.add_item(await newsroom.add_feed(), url, content=own)
    await newsroom.finish_articles({url: NotExtracted(code=FailureCode.EMPTY, detail="behind a <paywall>")})
    text = await page(f"/item/{item.id}")
    assert "Text from the feed: the page gave none: behind a &lt;paywall&gt; (FAIL_EMPTY)." in text
    assert own in text
    assert "As the feed sent it" not in text


async def test_an_article_is_read_as_it_is_kept_with_its_lead_image(newsroom: Newsroom, page: Page) -> None:
    url = "https://news.example/1"
    item = await newsroom.add_item(await newsroom.add_feed(), url)
    kept = "<p>H<sub>2</sub>O</p><script>x()</script>"
    image = "https://news.example/lead.jpg"
    await newsroom.finish_articles({url: Extracted(clean_text="H2O", markdown="H₂O", html=kept, image=image)})
    text = await page(f"/item/{item.id}")
    assert "Text from the page." in text
    assert "<p>H<sub>2</sub>O</p>" in text
    assert f'<figure class="lead"><img src="{image}" alt="" loading="lazy"' in text
    assert "x()" not in text
    listed = await page("/")
    assert f'<img src="{image}" alt="" width="96" height="72" loading="lazy"' in listed


async def test_the_reading_view_names_all_feeds_that_list_the_article(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    for source, topic in (("Quay News", "города"), ("<b>第二", "города")):
        feed = await newsroom.add_feed(f"https://{len(source)}.example/feed", source=source, topic=topic)
        item = await newsroom.add_item(feed, "https://shared.example/1", title="Новости")
    async with web.get(f"/item/{item.id}") as response:
        page = (await response.read()).decode()
    assert "<bdi>&lt;b&gt;第二, Quay News</bdi><bdi>города</bdi>" in page
