"""Whole texts in published feeds, on the page and in the API: what they look like, and who gets them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import aiohttp
import feedparser
import pytest

from inforadar.config import Settings
from inforadar.model.article import Extracted
from inforadar.model.feed import Feed
from inforadar.model.item import Enclosure
from inforadar.pipeline.build import Builder
from inforadar.store.feeds.options import update_feed_options
from inforadar.store.feeds.save_credentials import save_credentials
from inforadar.web.http.admin_token import load_admin_token
from tests.support.faces.newsroom import BUILT_AT, Newsroom
from tests.support.faces.serving import running
from tests.support.feed_rules import atom_problems, json_feed_problems, rss_problems
from tests.support.ports import free_port

URL = "https://news.example/feed"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
IDENTITY = {"Accept-Encoding": "identity"}
ARTICLE = "Полный текст 全文 🗞"
PART = "Вторая запись 第二"
OWN = "نص الموجز"
MARKDOWN = (
    f"# {ARTICLE}\n\nAn **article** with a [link](https://a.example/x) ![صورة](https://a.example/p.jpg)\n"
)
PROBLEMS = {"rss": rss_problems, "atom": atom_problems, "json": json_feed_problems}


@pytest.fixture
async def feed(newsroom: Newsroom) -> Feed:
    """An item with an article, an entry that shares its page, and one with the feed's own content only."""
    feed = await newsroom.add_feed(URL, title="Новини", topic="news")
    page = "https://news.example/log"
    for number, (url, content) in enumerate(
        (
            ("https://news.example/1", "<p>teaser</p>"),
            (f"{page}#2", f"<p>{PART}</p><script>alert(1)</script><img src='/relative.png'>"),
            ("https://news.example/3", f"<p onclick='x'>{OWN}</p>"),
        )
    ):
        await newsroom.add_item(
            feed,
            url,
            title=f"标题 {number}",
            snippet=f"summary {number}",
            content=content,
            published_at=NOW - timedelta(hours=number),
        )
    await newsroom.finish_articles(
        {"https://news.example/1": Extracted(clean_text=ARTICLE, markdown=MARKDOWN)}
    )
    await build(newsroom)
    return feed


async def build(newsroom: Newsroom, at: datetime = BUILT_AT) -> int:
    builder = Builder(
        database=newsroom.database, last_n=50, public_url="https://radar.example", now=lambda: at
    )
    return await builder.run_once()


@pytest.fixture
async def public(newsroom: Newsroom, web_settings: Settings) -> AsyncIterator[aiohttp.ClientSession]:
    """The server of somebody who also serves others."""
    settings = web_settings.replaced(web={"public_url": "https://radar.example", "port": free_port()})
    async with running(newsroom.database, settings) as session:
        yield session


async def load(
    web: aiohttp.ClientSession, path: str = "/rss", headers: dict[str, str] | None = None, **query: str
) -> str:
    given = {"url": URL, **query} if path == "/rss" else query
    async with web.get(path, params=given, headers={**IDENTITY, **(headers or {})}) as response:
        assert response.status == 200, await response.text()
        assert response.headers["X-Robots-Tag"] == "noindex"
        if path == "/rss":
            assert response.headers["Link"] == f'<{URL}>; rel="canonical"'
        return await response.text()


def contents(document: str, name: str) -> list[str]:
    """The body of each entry, empty if it has none."""
    if name == "json":
        return [item.get("content_html", "") for item in json.loads(document)["items"]]
    entries = feedparser.parse(document).entries
    bodies = [
        [body.value for body in entry.get("content", ()) if body.type == "text/html"] for entry in entries
    ]
    return [body[0] if body else "" for body in bodies]


@pytest.mark.parametrize("path", ["/rss", "/feeds/topic/news"])
@pytest.mark.parametrize("name", PROBLEMS)
async def test_readers_here_get_the_whole_text_clean(
    web: aiohttp.ClientSession, feed: Feed, name: str, path: str
) -> None:
    document = await load(web, path, format=name)
    if path == "/rss":
        assert PROBLEMS[name](document, BUILT_AT) == []
    article, part, own = contents(document, name)
    assert f"<h2>{ARTICLE}</h2>" in article
    assert 'src="https://a.example/p.jpg"' in article
    assert "<strong>article</strong>" in article
    assert "teaser" not in article
    assert PART in part
    assert "alert" not in part
    assert 'src="https://news.example/relative.png"' in part
    assert OWN in own
    assert "onclick" not in own


@pytest.mark.parametrize("path", ["/rss", "/feeds/topic/news", "/feeds/source/news.example"])
@pytest.mark.parametrize("name", PROBLEMS)
async def test_others_get_summary_and_link_whatever_they_ask_for(
    public: aiohttp.ClientSession, feed: Feed, name: str, path: str
) -> None:
    for content in ("", "full", "summary"):
        document = await load(public, path, format=name, content=content)
        assert "summary 0" in document
        assert "https://news.example/1" in document
        for text in (ARTICLE, PART, OWN):
            assert text not in document


async def test_a_person_gets_the_whole_text_everywhere(
    public: aiohttp.ClientSession, web_settings: Settings, feed: Feed
) -> None:
    token = load_admin_token(web_settings.home)
    bearer = {"Authorization": f"Bearer {token}"}
    assert ARTICLE not in await load(public)
    assert ARTICLE in await load(public, headers=bearer)
    assert ARTICLE not in await load(public), "the person's document is not served to others"
    basic = base64.b64encode(f"anyone:{token}".encode()).decode()
    assert ARTICLE in await load(public, "/feeds/topic/news", headers={"Authorization": f"Basic {basic}"})
    assert ARTICLE not in await load(public, "/feeds/topic/news")
    assert ARTICLE not in await load(public, headers={"Authorization": "Bearer wrong"})


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"])
async def test_a_forwarded_request_is_not_from_here(
    web: aiohttp.ClientSession, feed: Feed, header: str
) -> None:
    assert ARTICLE in await load(web)
    assert ARTICLE in await load(web), "from memory"
    assert ARTICLE not in await load(web, headers={header: "127.0.0.1"})
    assert ARTICLE not in await load(web, headers={header: "127.0.0.1"}), "from memory"
    assert ARTICLE in await load(web)


async def test_the_operator_can_publish_texts(newsroom: Newsroom, web_settings: Settings, feed: Feed) -> None:
    settings = web_settings.replaced(web={"public_url": "https://radar.example", "public_text": True})
    async with running(newsroom.database, settings) as public:
        assert ARTICLE in await load(public)
        assert ARTICLE in await load(public, content="full", format="json")
        await newsroom.database.write(update_feed_options, feed.id, {"content": "summary"})
        await build(newsroom, BUILT_AT + timedelta(hours=1))
        assert ARTICLE not in await load(public)
        assert ARTICLE not in await load(public, content="full"), "not more than the feed publishes"


async def test_a_feed_and_a_query_say_how_much_text(
    newsroom: Newsroom, web: aiohttp.ClientSession, feed: Feed
) -> None:
    summaries = await load(web, content="summary")
    assert "summary 0" in summaries
    assert ARTICLE not in summaries
    for name, problems in PROBLEMS.items():
        nothing = await load(web, content="none", format=name)
        assert problems(nothing, BUILT_AT) == []
        assert "summary 0" not in nothing
        assert ARTICLE not in nothing
        assert "标题 0" in nothing
    await newsroom.database.write(update_feed_options, feed.id, {"content": "none"})
    assert await build(newsroom, BUILT_AT + timedelta(hours=1)) == 1
    assert "summary 0" not in await load(web)
    assert ARTICLE in await load(web, content="full")
    async with web.get("/rss", params={"url": URL, "content": "everything"}) as response:
        assert response.status == 400
        assert await response.text() == "content must be one of full, summary, none.\n"


async def test_a_feed_with_credentials_is_published_without_texts(
    newsroom: Newsroom, web: aiohttp.ClientSession, feed: Feed
) -> None:
    await newsroom.database.write(save_credentials, feed.id, {"Authorization": "Basic x"})
    assert await build(newsroom, BUILT_AT + timedelta(hours=1)) == 1, "the change alone causes a build"
    for path in ("/rss", "/feeds/topic/news"):
        assert ARTICLE not in await load(web, path)
        assert ARTICLE in await load(web, path, content="full"), "the person asks for it"


async def test_original_titles_on_request(newsroom: Newsroom, web: aiohttp.ClientSession, feed: Feed) -> None:
    await newsroom.add_item(
        feed, "https://news.example/6", title="原标题", published_at=NOW + timedelta(hours=1)
    )
    await newsroom.analyze({"https://news.example/6": 0.4})
    await build(newsroom, BUILT_AT + timedelta(hours=1))
    for path in ("/rss", "/feeds/topic/news"):
        neutral = feedparser.parse(await load(web, path))
        original = feedparser.parse(await load(web, path, titles="original"))
        assert neutral.entries[0].title == "Minister answers critics"
        assert original.entries[0].title == "原标题"
        assert original.entries[0].deframe_neutraltitle == "Minister answers critics"
    async with web.get("/rss", params={"url": URL, "titles": "x"}) as response:
        assert response.status == 400


async def test_embedded_adds_to_the_text_in_every_format(
    newsroom: Newsroom, web: aiohttp.ClientSession, feed: Feed
) -> None:
    await newsroom.add_item(
        feed, "https://news.example/6", title="原标题", published_at=NOW + timedelta(hours=1)
    )
    await newsroom.analyze({"https://news.example/6": 0.4})
    await build(newsroom, BUILT_AT + timedelta(hours=1))
    for name in PROBLEMS:
        body = contents(await load(web, format=name, embedded="1"), name)[0]
        assert "overall slanted 0.40" in body
        assert body.strip().endswith("<p>Text.</p>")


async def test_a_new_text_is_published_at_the_next_build(
    newsroom: Newsroom, web: aiohttp.ClientSession, feed: Feed
) -> None:
    item = await newsroom.add_item(feed, "https://news.example/4", title="4")
    await newsroom.finish_articles({item.url: Extracted(clean_text="Пришло", markdown="Пришло позже")})
    assert await build(newsroom, BUILT_AT + timedelta(hours=1)) == 1
    assert "<p>Пришло позже</p>" in contents(await load(web), "rss")[0]


async def test_texts_of_the_last_build_are_used_again_until_they_change(
    newsroom: Newsroom, feed: Feed, web: aiohttp.ClientSession
) -> None:
    before = await load(web)
    digests = re.findall('<deframe:text digest="([0-9a-f]{32})"/>', before)
    assert len(digests) == 3
    await newsroom.build(feed, before.replace("&lt;strong&gt;article&lt;/strong&gt;", "kept as it was"))
    await newsroom.add_item(feed, "https://news.example/5", title="5")
    await newsroom.database.write(update_feed_options, feed.id, {"timezone": "Europe/Warsaw"})
    assert await build(newsroom, BUILT_AT + timedelta(hours=1)) == 1
    after = await load(web)
    assert "kept as it was" in after
    assert re.findall('<deframe:text digest="([0-9a-f]{32})"/>', after) == digests


async def test_page_and_api_keep_texts_from_those_who_may_not_read_them(
    newsroom: Newsroom,
    web: aiohttp.ClientSession,
    public: aiohttp.ClientSession,
    web_settings: Settings,
    feed: Feed,
) -> None:
    items = json.loads(await load(web, "/api/items"))["items"]
    bearer = {"Authorization": f"Bearer {load_admin_token(web_settings.home)}"}
    for item, text in zip(items, (ARTICLE, PART, OWN), strict=True):
        for kind in ("/item/", "/api/items/"):
            path = kind + item["id"]
            assert text in await load(web, path)
            assert text in await load(public, path, headers=bearer)
            shown = await load(public, path)
            assert text not in shown
            assert item["snippet"] in shown
        assert "Log in to read the whole text here" in await load(public, f"/item/{item['id']}")


async def test_an_entry_that_shares_its_page_shows_the_feeds_own_text(
    newsroom: Newsroom, web: aiohttp.ClientSession, web_settings: Settings, feed: Feed
) -> None:
    item = next(one for one in json.loads(await load(web, "/api/items"))["items"] if "#" in one["url"])
    cookie = await _log_in(web, load_admin_token(web_settings.home))
    page = await load(web, f"/item/{item['id']}", headers=cookie)
    text = page[page.index('id="text"') : page.index('id="analysis"')]
    assert PART in text
    assert "alert" not in text
    assert "Get the article now" not in page
    assert "As the feed sent it" not in page


async def _log_in(web: aiohttp.ClientSession, token: str) -> dict[str, str]:
    async with web.post("/login", data={"token": token}, allow_redirects=False) as response:
        cookie = response.cookies["inforadar_session"].value
    return {"Cookie": f"inforadar_session={cookie}"}


async def test_files_authors_comments_and_dates_come_out_again(
    newsroom: Newsroom, web: aiohttp.ClientSession, feed: Feed
) -> None:
    item = await newsroom.add_item(
        feed,
        "https://news.example/ep",
        title="第七集",
        published_at=NOW + timedelta(hours=1),
        updated_at=NOW + timedelta(hours=2),
        author="Анна",
        authors=("Анна", "أحمد <b>"),
        comments_url="https://news.example/ep/talk",
        enclosures=(
            Enclosure(url="https://cdn.example/7.mp3", type="audio/mpeg", length=12_300_000, duration=3661),
            Enclosure(url="https://cdn.example/7.mp4", type="video/mp4"),
            Enclosure(url="https://cdn.example/7.pdf", title='Конспект "><script>'),
            Enclosure(url="javascript:alert(1)", type="audio/mpeg"),
        ),
    )
    await newsroom.database.write(update_feed_options, feed.id, {"timezone": "Europe/Warsaw"})
    await build(newsroom, BUILT_AT + timedelta(hours=1))
    entry = feedparser.parse(await load(web)).entries[0]
    assert entry.enclosures[0].href == "https://cdn.example/7.mp3"
    assert entry.comments == "https://news.example/ep/talk"
    assert [one["url"] for one in entry.media_content] == [
        "https://cdn.example/7.mp4",
        "https://cdn.example/7.pdf",
    ]
    atom = feedparser.parse(await load(web, format="atom")).entries[0]
    assert [one.name for one in atom.authors] == ["Анна", "أحمد <\u2060b>"]
    assert len(atom.enclosures) == 3
    found = json.loads(await load(web, format="json"))["items"][0]
    assert found["attachments"][0] == {
        "url": "https://cdn.example/7.mp3",
        "mime_type": "audio/mpeg",
        "size_in_bytes": 12_300_000,
        "duration_in_seconds": 3661,
    }
    assert found["authors"] == [{"name": "Анна"}, {"name": "أحمد <b>"}]
    assert found["date_modified"] == "2026-03-01T14:00:00Z"
    known = json.loads(await load(web, "/api/item", url=item.url))
    assert known["link"] == item.url
    assert known["revised_at"] == "2026-03-01T14:00:00Z"
    assert known["comments_url"] == "https://news.example/ep/talk"
    assert [one["url"] for one in known["enclosures"]][:2] == [
        "https://cdn.example/7.mp3",
        "https://cdn.example/7.mp4",
    ]
    page = await load(web, f"/item/{item.id}")
    assert '<audio controls preload="none" src="https://cdn.example/7.mp3"' in page
    assert '<video controls preload="none" src="https://cdn.example/7.mp4"' in page
    assert "audio/mpeg, 12.3 MB, 1:01:01" in page
    assert "Анна, أحمد &lt;b&gt;" in page
    assert 'href="https://news.example/ep/talk"' in page
    assert "<script>" not in page[page.index('class="files"') : page.index('id="analysis"')]
    assert "javascript:alert" not in page
    assert f'<link rel="canonical" href="{item.url}">' in page


async def test_the_page_may_load_media_of_articles(web: aiohttp.ClientSession, feed: Feed) -> None:
    async with web.get("/") as response:
        assert "media-src http: https:" in response.headers["Content-Security-Policy"]
