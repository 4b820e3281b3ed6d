"""The test site itself: its documents are well formed, its conditional answers correct."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from lxml import etree, html

from tests.support.site.answers import Answer, SiteRequest
from tests.support.site.documents import (
    Entry,
    article_page,
    atom,
    entries,
    link_to_feed,
    rss,
    sitemap,
    sitemap_index,
)
from tests.support.site.server import Site, answer_conditionally

HOSTILE = """<b>"Новости" & 'news' ]]> </title></script> 新闻 📰"""
AT = datetime(2025, 7, 1, 10, 0, tzinfo=UTC)
ENTRY = Entry(
    url="https://news.example/?a=1&b=<2>",
    title=HOSTILE,
    guid=HOSTILE,
    published_at=AT,
    author=HOSTILE,
    summary=HOSTILE,
    categories=(HOSTILE,),
)
DATE = "Tue, 01 Jul 2025 10:00:00 GMT"


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (rss([ENTRY], title=HOSTILE), "//item/title"),
        (rss([ENTRY]), "//item/guid"),
        (atom([ENTRY], title=HOSTILE), "//a:entry/a:title"),
        (atom([ENTRY]), "//a:entry/a:summary"),
    ],
)
def test_hostile_text_comes_through_a_feed_as_it_is(document: str, path: str) -> None:
    tree = etree.fromstring(document.encode())

    assert tree.xpath(f"string({path})", namespaces={"a": "http://www.w3.org/2005/Atom"}) == HOSTILE


def test_a_sitemap_holds_its_urls() -> None:
    document = sitemap([(ENTRY.url, AT), ("https://news.example/2", None)])
    index = sitemap_index([ENTRY.url])

    assert etree.fromstring(document.encode()).xpath("string(//*[local-name()='loc'])") == ENTRY.url
    assert "2025-07-01T10:00:00+00:00" in document
    assert etree.fromstring(index.encode()).xpath("string(//*[local-name()='loc'])") == ENTRY.url


def test_a_page_holds_its_article() -> None:
    page = article_page(
        title=HOSTILE, paragraphs=[HOSTILE], author=HOSTILE, published_at=AT, head=link_to_feed(ENTRY.url)
    )
    tree = html.document_fromstring(page)

    assert tree.xpath("string(//article/p)") == HOSTILE
    assert tree.xpath("string(//meta[@name='author']/@content)") == HOSTILE
    assert tree.xpath("string(//link[@rel='alternate']/@href)") == ENTRY.url


def test_entries_differ() -> None:
    assert [entry.title for entry in entries(3, first=5)] == ["Article 7", "Article 6", "Article 5"]
    assert len({json.dumps([entry.url, entry.guid]) for entry in entries(30)}) == 30


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({}, 200),
        ({"if-none-match": '"v1"'}, 304),
        ({"if-none-match": 'W/"v1"'}, 304),
        ({"if-none-match": '"v0", "v1"'}, 304),
        ({"if-none-match": "*"}, 304),
        ({"if-none-match": '"v0"'}, 200),
        ({"if-none-match": '"v0"', "if-modified-since": DATE}, 200),
        ({"if-modified-since": DATE}, 304),
        ({"if-modified-since": "Wed, 02 Jul 2025 10:00:00 GMT"}, 304),
        ({"if-modified-since": "Mon, 30 Jun 2025 10:00:00 GMT"}, 200),
        ({"if-modified-since": "yesterday"}, 200),
    ],
)
def test_a_conditional_request_is_answered_by_the_book(asked: dict[str, str], status: int) -> None:
    request = SiteRequest(at=0.0, method="GET", target="/", headers=asked, address="127.0.0.1")
    answer = Answer(body=b"text", headers={"ETag": '"v1"', "Last-Modified": DATE})

    assert answer_conditionally(request, answer).status == status


async def test_scripts_follow_each_other_and_hosts_are_apart(site: Site) -> None:
    site.respond("/", [Answer(body=b"one"), Answer(body=b"two")])
    site.respond("/", Answer(body=b"other"), host="127.0.0.2")
    site.respond("/?q=1", Answer(body=b"query"))

    def body(target: str, host: str = "127.0.0.1") -> bytes:
        request = SiteRequest(
            at=0.0, method="GET", target=target, headers={"host": f"{host}:{site.port}"}, address=host
        )
        step = site.step_for(request)
        assert isinstance(step, Answer)
        return step.body

    assert [body("/"), body("/"), body("/")] == [b"one", b"two", b"two"]
    assert body("/", "127.0.0.2") == b"other"
    assert body("/?q=1") == b"query"
    assert body("/?q=2") == b"two"
