"""Feeds that end too early: complete entries are kept, the broken one is not, and the listing says so."""

from __future__ import annotations

import json
import time

import pytest

from inforadar.errors import CutOffError
from inforadar.model.feed_warning import FeedWarning
from inforadar.model.item import Listing
from inforadar.stages.discover.feed.parse import parse_feed

URL = "https://example.org/feed"
SAYS = FeedWarning(text="The document was cut off; the entries before that were read.", is_loss=True)
TITLES = ["Первая новость", "第二条新闻", "الخبر الثالث 🛰️"]


def _rss(number: int, title: str) -> str:
    return (
        f"<item><title>{title}</title><link>https://example.org/a-long-address/{number}</link>"
        f"<description><![CDATA[<p>{title} — text</p>]]></description><guid>tag:{number}</guid></item>"
    )


def _atom(number: int, title: str) -> str:
    return (
        f'<entry><id>tag:{number}</id><link href="https://example.org/a-long-address/{number}"/>'
        f"<title>{title}</title><updated>2026-11-1{number}T08:00:00Z</updated></entry>"
    )


def _rdf(number: int, title: str) -> str:
    address = f"https://example.org/a-long-address/{number}"
    return f'<item rdf:about="{address}"><title>{title}</title><link>{address}</link></item>'


HEAD = '<?xml version="1.0" encoding="utf-8"?>'
RSS = (HEAD + '<rss version="2.0"><channel><title>Новости</title>', _rss, "</channel></rss>")
ATOM = (HEAD + '<feed xmlns="http://www.w3.org/2005/Atom"><title>Новости</title>', _atom, "</feed>")
RDF = (
    HEAD
    + '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">'
    "<channel><title>Новости</title></channel>",
    _rdf,
    "</rdf:RDF>",
)
FORMATS = pytest.mark.parametrize(("head", "entry", "end"), [RSS, ATOM, RDF], ids=["rss", "atom", "rdf"])


def _read(text: str) -> Listing | None:
    try:
        return parse_feed(text.encode(), URL)
    except CutOffError:
        return None


@FORMATS
def test_a_feed_cut_off_anywhere_keeps_its_complete_entries_and_no_part_of_another(head, entry, end) -> None:
    entries = [entry(number, title) for number, title in enumerate(TITLES)]
    text = head + "".join(entries) + end
    ends = [len(head + "".join(entries[:count])) for count in range(1, 4)]
    for cut in range(len(HEAD), len(text) - len(end)):
        complete = sum(one <= cut for one in ends)
        listing = _read(text[:cut])
        if not complete:
            assert listing is None, cut
            continue
        assert listing is not None
        assert [item.title for item in listing.items] == TITLES[:complete], cut
        assert [item.url[-1] for item in listing.items] == ["0", "1", "2"][:complete]
        assert listing.is_cut_off
        assert listing.warnings == (SAYS,)
        assert listing.title == "Новости"


@FORMATS
def test_a_broken_feed_that_is_complete_is_not_cut_off(head, entry, end) -> None:
    broken = entry(1, "Tom & Jerry").replace("</title>", "<br></title>")
    listing = _read(head + entry(0, TITLES[0]) + broken + end)
    assert listing is not None
    assert [item.title for item in listing.items] == [TITLES[0], "Tom & Jerry"]
    assert not listing.is_cut_off


def test_a_feed_that_closes_no_entry_but_itself_is_not_cut_off() -> None:
    head, entry, end = RSS
    listing = _read(head + "".join(entry(n, t).removesuffix("</item>") for n, t in enumerate(TITLES)) + end)
    assert listing is not None
    assert [item.title for item in listing.items] == TITLES
    assert not listing.is_cut_off


def test_a_feed_that_ends_with_its_channel_lacks_nothing() -> None:
    head, entry, _ = RSS
    listing = _read(head + entry(0, TITLES[0]) + "</channel></rs")
    assert listing is not None
    assert len(listing.items) == 1
    assert not listing.is_cut_off


def test_an_entry_is_not_closed_by_what_its_text_quotes() -> None:
    head, entry, _ = RSS
    quoted = (
        "<item><title>How feeds end</title><link>https://example.org/x</link><description><![CDATA[</item>"
    )
    listing = _read(head + entry(0, TITLES[0]) + quoted.replace("<![CDATA[</item>", "&lt;/item&gt; and then"))
    assert listing is not None
    assert [item.title for item in listing.items] == TITLES[:1]


def _json_feed(**changed: object) -> str:
    items = [
        {
            "id": str(number),
            "url": f"https://example.org/a-long-address/{number}",
            "title": title,
            "content_html": '<p class="a">] } " \\ 🛰️</p>',
            "tags": ["a", "б"],
        }
        for number, title in enumerate(TITLES)
    ]
    return json.dumps(
        {
            "version": "https://jsonfeed.org/version/1.1",
            "title": "Новости",
            "authors": [{"name": "Анна"}],
            "items": items,
        }
        | changed,
        ensure_ascii=False,
    )


def test_a_json_feed_cut_off_anywhere_keeps_its_complete_entries() -> None:
    text = _json_feed()
    items = text.index('"items"')
    ends = [text.index('"б"]}', text.index(title)) + len('"б"]}') for title in TITLES]
    for cut in range(items, len(text)):
        complete = sum(one <= cut for one in ends)
        listing = _read(text[:cut])
        if not complete:
            assert listing is None, cut
            continue
        assert listing is not None
        assert [item.title for item in listing.items] == TITLES[:complete], cut
        assert listing.is_cut_off
        assert listing.warnings == (SAYS,)
        assert (listing.title, listing.items[0].author) == ("Новости", "Анна")


def test_a_json_feed_cut_off_after_its_items_keeps_all_of_them() -> None:
    text = _json_feed(description="x" * 50)[:-20]
    listing = _read(text)
    assert listing is not None
    assert [item.title for item in listing.items] == TITLES
    assert listing.is_cut_off


def test_json_that_is_invalid_but_complete_is_no_feed() -> None:
    with pytest.raises(Exception, match="not valid"):
        parse_feed(_json_feed().replace('"id": "1"', '"id": oops').encode(), URL)


@pytest.mark.parametrize(
    "document",
    [
        '{"items": ' + "[" * 300_000,
        '{"items": [' + '{"a":' * 150_000,
        '{"a' * 100_000,
        '{"items": [1,' * 20_000,
    ],
)
def test_a_hostile_half_of_a_document_is_refused_quickly(document) -> None:
    began = time.process_time()
    with pytest.raises(Exception, match=r"not valid|cut off|too large|JSON"):
        parse_feed(document.encode(), URL)
    assert time.process_time() - began < 2
