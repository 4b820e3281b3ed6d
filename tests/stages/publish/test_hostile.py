"""Hostile text in any field leaves the document valid and shows as plain words."""

from __future__ import annotations

import html
import json
from dataclasses import replace
from datetime import UTC, datetime

import feedparser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from inforadar import urls
from inforadar.model.analysis import Analysis, Score, ScoreName
from inforadar.stages.publish import NAMESPACE, Entry, render_atom, render_json_feed, render_rss
from inforadar.stages.publish.text import clean, one_line
from tests.stages.publish.publish_samples import CHANNEL, NOW, analysis, entry
from tests.support.feed_rules import atom_problems, json_feed_problems, rss_problems

_SNIPPETS = [
    "]]>", "<![CDATA[", "<script>alert(1)</script>", "</title>", "</item></channel></rss>", "&amp;",
    "&lt;b&gt;", "&#x3C;script&#x3E;", "&nbsp;", "<!--", "-->", "<?xml version='1.0'?>", "&a;",
    "<!DOCTYPE x [<!ENTITY a 'b'>]>", '" onload="x', "'", "<img src=x onerror=alert(1)>", "<\x00script>",
    "&\x01lt;", "\u202e", "\u2066", "\u2069", "\x85", "\x92", "\ufffe", "\uffff", "\ud800", "\udfff", "\r\n",
    "\r", "\x0b", "\u2028", "مرحبا", "新闻", "Привет", "👩‍👩‍👧", "<", ">", "&", "a < b", "AT&T",
    "<a@b.example>", "</deframe:fact>", "\x7f",
]  # fmt: skip
_texts = st.lists(st.one_of(st.sampled_from(_SNIPPETS), st.text(max_size=6)), max_size=4).map("".join)
_maybe = st.one_of(st.none(), _texts)
_dates = st.datetimes(timezones=st.just(UTC))
_tuples = st.lists(_texts, max_size=2).map(tuple)
_scores = st.builds(Score, value=st.floats(0, 1), reason=_texts, words=_tuples)
_labels = ("title_reason", "description_reason", "summary", "category", "language", "model", "prompt_version")
_analyses = st.builds(
    Analysis,
    title=_texts,
    description=_texts,
    facts=_tuples,
    **dict.fromkeys(_labels, _texts),
    **{name.value: _scores for name in ScoreName},
)


@st.composite
def _entries(draw: st.DrawFn) -> list[Entry]:
    made = {}
    for _ in range(draw(st.integers(0, 3))):
        path = draw(_texts).encode("utf-8", "replace").decode()
        url = urls.normalize(f"https://example.com/{path}")
        counters = st.one_of(st.none(), st.integers(0, 10**9))
        made[url] = Entry(
            url=url,
            hash=urls.url_hash(url),
            published_at=draw(_dates),
            updated_at=draw(st.one_of(st.none(), _dates)),
            title=draw(_maybe),
            snippet=draw(_maybe),
            author=draw(_maybe),
            tags=draw(_tuples),
            image=draw(st.one_of(_maybe, st.just("https://example.com/{a}|b.png#x#y"))),
            language=draw(st.one_of(_maybe, st.sampled_from(["en", "pl_PL", "xx", "fil"]))),
            text=draw(_maybe),
            analysis=draw(st.one_of(st.none(), _analyses)),
            source=draw(_texts),
            topic=draw(_texts),
            views=draw(counters),
            rating=draw(st.one_of(st.none(), st.floats(-100, 100))),
        )
    return list(made.values())


_channels = st.builds(
    lambda title, description, language, generator: replace(
        CHANNEL, title=title, description=description, language=language, generator=generator
    ),
    _texts,
    _texts,
    _maybe,
    _texts,
)


def _words(text: str | None) -> str:
    """Return a label as a reader shows it, without the invisible joiners that defuse it."""
    return (text or "").replace("\u2060", "")


@settings(max_examples=60, deadline=None)
@given(_channels, _entries(), st.booleans())
def test_no_text_breaks_an_rss_document(channel, entries, embedded) -> None:
    document = render_rss(channel, entries, embedded=embedded).whole
    assert rss_problems(document, NOW) == []
    parsed = feedparser.parse(document.encode())
    assert not parsed.bozo
    assert [read.id for read in parsed.entries] == [made.hash for made in entries]


@settings(max_examples=60, deadline=None)
@given(_channels, _entries(), st.booleans())
def test_no_text_breaks_an_atom_document(channel, entries, embedded) -> None:
    document = render_atom(channel, entries, embedded=embedded)
    assert atom_problems(document, NOW) == []
    parsed = feedparser.parse(document.encode())
    assert not parsed.bozo
    assert len(parsed.entries) == len(entries)


@settings(max_examples=60, deadline=None)
@given(_channels, _entries(), st.booleans())
def test_no_text_breaks_a_json_feed(channel, entries, embedded) -> None:
    assert json_feed_problems(render_json_feed(channel, entries, embedded=embedded), NOW) == []


@settings(max_examples=60, deadline=None)
@given(_entries())
def test_texts_survive_but_for_forbidden_characters(entries) -> None:
    root = etree.fromstring(render_rss(CHANNEL, entries).whole.encode())
    for given_entry, item in zip(entries, root.findall("channel/item"), strict=True):
        neutral = given_entry.analysis.title if given_entry.analysis else ""
        shown = neutral if one_line(neutral) else given_entry.title
        if one_line(shown):
            assert _words(item.findtext("title")) == _words(one_line(shown))
        ours = "{" + NAMESPACE + "}"
        if given_entry.analysis:
            description = clean(given_entry.analysis.description).strip()
            assert item.findtext(f"{ours}originalTitle", "") == clean(given_entry.title or "")
            assert [fact.text or "" for fact in item.findall(f"{ours}fact")] == [
                clean(fact) for fact in given_entry.analysis.facts
            ]
        else:
            description = clean(given_entry.snippet or "").strip()
        if description:
            assert html.unescape(item.findtext("description")) == description


@settings(max_examples=60, deadline=None)
@given(_entries())
def test_json_texts_survive_but_for_forbidden_characters(entries) -> None:
    items = json.loads(render_json_feed(CHANNEL, entries))["items"]
    for given_entry, item in zip(entries, items, strict=True):
        if given_entry.analysis is None and one_line(given_entry.title):
            assert item["title"] == one_line(given_entry.title)


@given(_texts)
def test_no_html_reader_finds_markup_in_a_title(title: str) -> None:
    entry = Entry(url="https://example.com/", hash=urls.url_hash("x"), published_at=NOW, title=title)
    item = etree.fromstring(render_rss(CHANNEL, [entry]).whole.encode()).find("channel/item")
    as_html = etree.HTML(f"<div>{item.findtext('title')}</div>")
    assert [element.tag for element in as_html.iter()] == ["html", "body", "div"]


@pytest.mark.parametrize("embedded", [False, True])
def test_a_forbidden_character_in_a_body_reaches_no_document(embedded: bool) -> None:
    bad = entry(text="a\ud800b\x00c", analysis=analysis("t\ud800"))
    for document in (
        render_rss(CHANNEL, [bad], embedded=embedded).whole,
        render_atom(CHANNEL, [bad], embedded=embedded),
        json.loads(render_json_feed(CHANNEL, [bad], embedded=embedded))["items"][0]["content_html"],
    ):
        assert "abc" in document
        assert "\x00" not in document


def test_content_that_was_sanitized_is_passed_on_unchanged() -> None:
    content = '<p>1 &lt; 2 &amp; <a href="https://example.com/?a=1&amp;b=2">x</a> ]]&gt;</p>'
    entry = Entry(url="https://example.com/", hash=urls.url_hash("x"), published_at=NOW, content_html=content)
    root = etree.fromstring(render_rss(CHANNEL, [entry]).whole.encode())
    assert root.findtext("channel/item/{http://purl.org/rss/1.0/modules/content/}encoded") == content


def test_a_year_at_the_edge_of_the_calendar_does_no_harm() -> None:
    for moment in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)):
        entry = Entry(
            url="https://example.com/", hash=urls.url_hash("x"), published_at=moment, updated_at=moment
        )
        assert atom_problems(render_atom(CHANNEL, [entry]), NOW) == []
