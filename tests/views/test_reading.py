"""Which text of an item is read, the page's or the feed's own, and how that is said."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.model.article import Article, ArticleStatus, Extracted, FailureCode, NotExtracted
from inforadar.model.ids import FeedId, ItemId, new_uuid
from inforadar.model.item import Item
from inforadar.urls import uid, url_hash
from inforadar.views.reading import TextOrigin, choose_origin, plain_text, reading_of

LONG = "<p>Рада проголосувала за закриття причалу. </p>" * 40
CPU_LIMIT_S = 2.0
PIECES = (
    *("&nbsp;", "&nbsp", "&#32;", "&#x20;", "&zwnj;", "&Tab;", "&#0;", "&#", "&;", "&", "&amp;", "&lt;"),
    *(" ", "\n", "\u00a0", "x", "ш", "新", "<", "<p>", "</p>", "<script>a</script>"),
)


def item(content: str, url: str = "https://news.example/1") -> Item:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    return Item(
        id=ItemId(new_uuid()), feed_id=FeedId(new_uuid()), url=url, hash=url_hash(url), content=content,
        published_at=at, created_at=at, updated_at=at, analyzer_result={},
    )  # fmt: skip


def article(result: Extracted | NotExtracted | None) -> Article:
    status = {Extracted: ArticleStatus.SUCCESS, NotExtracted: ArticleStatus.FAILURE}.get(
        type(result), ArticleStatus.NOT_FETCHED
    )
    return Article(
        uid=uid("https://news.example/1"), url="https://news.example/1", category="world", status=status,
        extracted=result if isinstance(result, Extracted) else None,
        failure=result if isinstance(result, NotExtracted) else None,
    )  # fmt: skip


PAGE = Extracted(clean_text="x" * 2000, markdown="")
STUB = Extracted(clean_text="x" * 300, markdown="")
WALL = NotExtracted(code=FailureCode.EMPTY, detail="behind a paywall")


@pytest.mark.parametrize(
    ("content", "found", "origin", "sentence"),
    [
        (LONG, PAGE, TextOrigin.PAGE, "Text from the page."),
        ("<p>The first sentence only.</p>", STUB, TextOrigin.PAGE, "Text from the page."),
        (LONG, STUB, TextOrigin.FEED, "Text from the feed, which says more than the page."),
        (LONG, WALL, TextOrigin.FEED, "Text from the feed: the page gave none: behind a paywall (FAIL_EMPTY)."),
        (LONG, None, TextOrigin.FEED, "Text from the feed: the page has not been fetched yet."),
        ("<img src=https://a.example/comic.png>", WALL, TextOrigin.FEED, None),
        ("<p> </p><script>var text = 'long';</script>", WALL, None, ""),
        ("", WALL, None, ""),
        ("", PAGE, TextOrigin.PAGE, "Text from the page."),
        ("<!-- x -->" * 900 + "<p>короткий</p>", STUB, TextOrigin.PAGE, "Text from the page."),
    ],
)  # fmt: skip
def test_the_feeds_text_is_read_where_the_page_fails_or_says_less(
    content: str, found: Extracted | NotExtracted | None, origin: TextOrigin | None, sentence: str | None
) -> None:
    reading = reading_of(item(content), article(found))
    assert reading.origin == origin
    if sentence is not None:
        assert reading.sentence == sentence


def test_an_entry_that_shares_its_page_is_the_feeds_own() -> None:
    reading = reading_of(item("<p>Part two</p>", "https://news.example/1#2"), article(PAGE))
    assert reading.origin is TextOrigin.FEED
    assert reading.sentence == "Text from the feed: the page is not this entry's alone."


@given(st.lists(st.sampled_from(PIECES), max_size=5).map("".join))
def test_a_feed_has_a_text_if_its_plain_text_has_a_sign(content: str) -> None:
    assert (choose_origin(content, 0) is TextOrigin.FEED) == bool(plain_text(content))


def test_scripts_and_styles_are_no_text() -> None:
    assert (
        plain_text("<style>p{}</style><p>Привіт &amp; <b>世界</b></p><SCRIPT>x < 1</SCRIPT> end")
        == "Привіт & 世界 end"
    )


@pytest.mark.parametrize("soup", ["<script>", "<", "<style ", "<a href='", "&amp;"])
def test_measuring_hostile_content_is_linear(soup: str) -> None:
    start = time.process_time()
    choose_origin(soup * (1_000_000 // len(soup)), 100)
    assert time.process_time() - start < CPU_LIMIT_S
