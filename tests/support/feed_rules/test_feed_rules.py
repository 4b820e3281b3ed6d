"""The rules themselves: each planted error is found."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from inforadar.stages.publish import render_atom, render_json_feed, render_rss
from tests.stages.publish.publish_samples import CHANNEL, ENTRIES, NOW
from tests.support.feed_rules import atom_problems, json_feed_problems, rss_problems

RSS = render_rss(CHANNEL, ENTRIES).whole
ATOM = render_atom(CHANNEL, ENTRIES)
GUID = f'<guid isPermaLink="false">{ENTRIES[0].hash}</guid>'
PUB_DATE = "<pubDate>Fri, 02 Jan 2026 02:04:05 GMT</pubDate>"
TITLE = "<title>Minister answers critics</title>"
AUTHOR = "<author><name>Example &amp; Co &lt;\u2060deframed&gt;</name></author>\n"


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("</channel>", "", "not well-formed"),
        ('version="2.0"', 'version="0.91"', "RSS 2.0"),
        ("<language>en-GB", "<language>english", "language code"),
        ("<lastBuildDate>Fri", "<lastBuildDate>Thu", "wrong day"),
        (PUB_DATE, "<pubDate>2026-01-02T03:04:05Z</pubDate>", "RFC 822"),
        (PUB_DATE, "<pubDate>Tue, 02 Jan 2046 02:04:05 GMT</pubDate>", "implausible"),
        (PUB_DATE, PUB_DATE + PUB_DATE, "more than one pubDate"),
        (PUB_DATE, "<published>today</published>", "undefined published"),
        (PUB_DATE, "<dc:publisher>x</dc:publisher>", "undefined"),
        (PUB_DATE, PUB_DATE + "<dc:date>2026-01-02</dc:date>", "the same in pubDate"),
        ('rel="self"', 'rel="alternate"', "rel self"),
        ('href="https://radar', 'href="/radar', "web address"),
        ("<link>https://example.com/</link>", "<link>/</link>", "web address"),
        ("b=2%7C3", "b=2|3", "web address"),
        (GUID, "", "no guid"),
        (GUID, GUID.replace("false", "no"), "isPermaLink"),
        (GUID, GUID.replace("false", "true"), "guid is not a full"),
        (GUID, '<guid isPermaLink="false">12</guid>', "sufficiently"),
        (GUID, GUID.replace(ENTRIES[0].hash, ENTRIES[1].hash), "not unique"),
        (TITLE, "", "no title"),
        (TITLE, "<title>&lt;b&gt;Minister&lt;/b&gt;</title>", "contains HTML"),
        (TITLE, "<title>Tom &amp;amp; Jerry</title>", "contains HTML"),
        (TITLE, "<title>it\x92s</title>", "bad characters"),
        (TITLE, TITLE + "stray", "stray text"),
        (TITLE, "<title xml:lang='en'>Minister</title>", "unexpected attribute"),
        ("<description>The", "<description>&lt;script&gt;x&lt;/script&gt;The", "<script>"),
        ("<description>The", "<description>&lt;iframe src='https://x.y'/&gt;The", "<iframe>"),
        ("<description>The", "<description>&lt;p onclick='x'&gt;The", "onclick"),
        ("<description>The", "<description>&lt;a href='/x'&gt;The", "relative"),
        ("<dc:creator>Zoë", "<author>Zoë</author><dc:creator>Zoë", "not an e-mail"),
        ("<dc:creator>Zoë", "<author>z@x.example</author><dc:creator>Zoë", "the same in author"),
        ("<category>politics</category>", "<category/>", "blank"),
        ("<media:content ", "<enclosure ", "enclosure lacks"),
        ('medium="image"', 'medium="picture"', "medium"),
        ("xmlns:media", "xmlns:m='http://search.yahoo.com/mrss/' xmlns:media", "customary prefix"),
        ("http://search.yahoo.com/mrss/", "http://search.yahoo.com/mrss", "reserved"),
        ("<image><url>https://example.com/icon.png", "<image><url>https://example.com/i.ico", "not a PNG"),
    ],
)
def test_an_error_planted_in_rss_is_seen(right: str, wrong: str, said: str) -> None:
    assert right in RSS
    assert any(said in problem for problem in rss_problems(RSS.replace(right, wrong, 1), NOW))


def test_content_before_its_description_is_seen() -> None:
    start, end = RSS.index("<content:encoded>"), RSS.index("</content:encoded>") + len("</content:encoded>")
    moved = RSS[:start] + RSS[end:]
    wrong = moved.replace(GUID, GUID + RSS[start:end], 1)
    assert "no description before content:encoded" in rss_problems(wrong, NOW)


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("</feed>", "", "not well-formed"),
        ("http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#", "not an Atom feed"),
        ('rel="self"', 'rel="via"', "rel self"),
        ("<updated>2026-01-02T03:04:05Z", "<updated>2026-01-02", "RFC 3339"),
        ("<updated>2026-01-02T03:04:05Z", "<updated>2026-13-02T03:04:05Z", "not a date"),
        ("<published>2026", "<published>2062", "implausible"),
        (f"item:{ENTRIES[0].hash}", f"item:{ENTRIES[1].hash}", "share the id"),
        ("<id>tag:inforadar.dev,2026:", "<id>tag:", "not a valid URI"),
        ("<id>urn:uuid:", "<id>", "not a valid URI"),
        (TITLE, "", "no title"),
        (TITLE, TITLE + TITLE, "more than one"),
        (TITLE, "<title>&lt;b&gt;x&lt;/b&gt;</title>", "contains HTML"),
        (TITLE, "<title type='html'>&lt;script&gt;</title>", "<script>"),
        (TITLE, "<title type='xhtml'>x</title>", "neither text nor"),
        (AUTHOR, "", "nor has the feed"),
        (AUTHOR, "<author><name/></author>", "no name"),
        ("</entry>\n</feed>", "</entry>\n<subtitle>late</subtitle></feed>", "metadata after"),
        ('term="politics"', 'term=""', "blank"),
        ('xml:lang="ru"', 'xml:lang="russian"', "language code"),
        ("<icon>https://example.com", "<icon>", "icon is not a full"),
    ],
)
def test_an_error_planted_in_atom_is_seen(right: str, wrong: str, said: str) -> None:
    assert right in ATOM
    assert any(said in problem for problem in atom_problems(ATOM.replace(right, wrong, 1), NOW))


def test_two_atom_entries_of_one_moment_are_seen() -> None:
    wrong = re.sub(r"<updated>[^<]*</updated>", "<updated>2026-01-02T01:01:01Z</updated>", ATOM)
    assert any("share the updated" in problem for problem in atom_problems(wrong, NOW))


@pytest.mark.parametrize(
    ("place", "change", "said"),
    [
        ("feed", {"version": "https://jsonfeed.org/version/1"}, "version"),
        ("feed", {"home_page_url": "/"}, "web address"),
        ("feed", {"author": "x"}, "unknown key"),
        ("feed", {"title": 1}, "not a str"),
        ("feed", {"_x": 1}, "not an object"),
        ("item", {"id": ""}, "no id"),
        ("item", {"id": ENTRIES[1].hash}, "not unique"),
        ("item", {"date_published": "yesterday"}, "RFC 3339"),
        ("item", {"image": "x.png"}, "web address"),
        ("item", {"authors": [{}]}, "author"),
        ("item", {"tags": [""]}, "tag"),
        ("item", {"content_html": "<script>"}, "<script>"),
        ("item", {"language": "klingon"}, "language"),
        ("item", {"summary": None}, "not a str"),
    ],
)
def test_an_error_planted_in_a_json_feed_is_seen(place: str, change: dict[str, Any], said: str) -> None:
    feed = json.loads(render_json_feed(CHANNEL, ENTRIES))
    (feed if place == "feed" else feed["items"][0]).update(change)
    assert any(said in problem for problem in json_feed_problems(json.dumps(feed), NOW))


@pytest.mark.parametrize("key", ["title", "items", "version"])
def test_a_key_missing_from_a_json_feed_is_seen(key: str) -> None:
    feed = json.loads(render_json_feed(CHANNEL, ENTRIES))
    del feed[key]
    assert any(key in problem for problem in json_feed_problems(json.dumps(feed), NOW))


def test_an_item_without_content_is_seen() -> None:
    feed = json.loads(render_json_feed(CHANNEL, ENTRIES))
    del feed["items"][0]["content_html"]
    assert any("neither content_html" in problem for problem in json_feed_problems(json.dumps(feed), NOW))
