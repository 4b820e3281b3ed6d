"""Hostile documents end in an error or a partial listing, within bounded memory and time."""

from __future__ import annotations

import resource
from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inforadar.errors import ParseError
from inforadar.stages.discover.feed.limits import MAX_ENTRIES, cut_to_limits, has_many_names
from inforadar.stages.discover.feed.parse import parse_feed
from tests.support.forked import Child, fork_server
from tests.support.hostile import DOCUMENTS

pytestmark = pytest.mark.slow

URL = "https://example.org/feed"


def outcome_of(name: str) -> str:
    """Read a document in a forked child, whose memory for it does not count."""
    data = DOCUMENTS[name]()
    resource.setrlimit(resource.RLIMIT_DATA, (256 * 2**20 + len(data),) * 2)
    try:
        parse_feed(data, URL)
    except ParseError:
        return "error"
    return "items"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_hostile_document_ends_within_memory_and_time(name: str) -> None:
    child = Child(function=f"{__name__}:outcome_of", arguments=(name,), limits={resource.RLIMIT_CPU: 10})
    ended = fork_server(__name__).call(child)
    assert ended.code == 0
    assert ended.result in ("error", "items")


@pytest.mark.parametrize(
    "name", ["100,000 attributes", "millions of elements", "deep nesting", "only ampersands"]
)
def test_a_warning_names_what_was_left_out_and_earlier_items_are_kept(name: str) -> None:
    listing = parse_feed(DOCUMENTS[name](), URL)
    assert listing.items[0].title == "first"
    assert any(
        word in " ".join(one.text for one in listing.warnings)
        for word in ("not read", "stopped there", "nested")
    )


def test_no_entity_reads_a_file() -> None:
    listing = parse_feed(DOCUMENTS["an entity of a file"](), URL)
    assert [item.title for item in listing.items] == ["first", "&a;"]


def test_an_entity_in_an_entity_is_not_expanded() -> None:
    document = (
        b'<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
        b"<rss><channel><item><link>/1</link><title>&a; &b;</title></item></channel></rss>"
    )
    assert parse_feed(document, URL).items[0].title == "ha &b;"


def test_a_comment_does_not_hide_a_type_declaration_from_us_and_show_it_to_the_parser() -> None:
    document = (
        b'<!-- <a --><!DOCTYPE rss [<!ENTITY a "ha"><!ATTLIST guid isPermaLink CDATA "false">]>'
        b"<rss><channel><item><guid>https://example.org/1</guid><title>&a;</title></item></channel></rss>"
    )
    (item,) = parse_feed(document, URL).items
    assert (item.url, item.title) == ("https://example.org/1", "ha")


def test_a_tag_in_a_comment_and_an_instruction_leave_a_document_plain() -> None:
    head = b"<?xml version='1.0'?><?style <a ?><!-- <a <!DOCTYPE -->"
    document = head + b"<rss><channel><item><link>/1</link></item></channel></rss>"
    listing = parse_feed(document, URL)
    assert [item.url for item in listing.items] == ["https://example.org/1"]
    assert listing.warnings == ()


def test_excessive_namespaces_are_refused_and_repeated_ones_are_not() -> None:
    box = b'<entry><link href="/%d"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">x</div></content></entry>'
    entries = b"".join(box % number for number in range(500))
    assert (
        len(parse_feed(b'<feed xmlns="http://www.w3.org/2005/Atom">' + entries + b"</feed>", URL).items)
        == 500
    )
    many = b" ".join(b'xmlns:a%d="b"' % number for number in range(200))
    with pytest.raises(ParseError, match="more or longer namespaces"):
        parse_feed(b'<feed xmlns="http://www.w3.org/2005/Atom" ' + many + b">" + entries + b"</feed>", URL)


def test_a_feed_may_write_about_namespaces() -> None:
    box = (
        b"<item><link>https://example.org/%d</link><description>&lt;Grid xmlns:a%d='clr-namespace:App.Views%d'&gt;"
        b"</description><title><![CDATA[<Window xmlns:b%d='https://example.org/%d'>]]></title></item>"
    )
    items = b"".join(box % ((number,) * 5) for number in range(300))
    assert len(parse_feed(b"<rss><channel>" + items + b"</channel></rss>", URL).items) == 300
    hidden = b"".join(b' xmlns:a%d="b"' % number for number in range(200))
    with pytest.raises(ParseError, match="more or longer namespaces"):
        parse_feed(b'<rss a="<![CDATA["' + hidden + b"><channel>" + items + b"]]></channel></rss>", URL)


def test_a_large_ordinary_feed_is_within_all_limits() -> None:
    body = b"<item><title>t</title><link>https://example.org/</link><description>&lt;p&gt;x&lt;/p&gt;</description></item>"
    document = b"<rss><channel>" + body * 10_000 + b"</channel></rss>"
    assert cut_to_limits(document) == (document, None)
    assert not has_many_names(document)


def test_of_a_document_with_too_many_tags_no_more_is_parsed_than_the_entries_that_are_read() -> None:
    quoting = b"<item><title><![CDATA[x</item>y]]></title><!-- </item> --><link>/a</link></item>"
    one = b"<item><title>t</title><link>/b</link></item>"
    document = b"<rss><channel>" + quoting * 100 + one * 80_000 + b"</channel></rss>"
    part, warning = cut_to_limits(document)
    assert part == b"<rss><channel>" + quoting * 100 + one * (MAX_ENTRIES + 1 - 100)
    assert warning == "It has more than 400,000 tags; the rest was not read."


def test_all_entries_up_to_the_limit_are_read_from_a_document_with_too_many_tags() -> None:
    items = b"".join(
        b"<item><title>%d</title><link>https://example.org/%d</link></item>" % (number, number)
        for number in range(70_000)
    )
    listing = parse_feed(b"<rss><channel><title>Large</title>" + items + b"</channel></rss>", URL)
    assert listing.title == "Large"
    assert [item.title for item in listing.items] == [str(number) for number in range(MAX_ENTRIES)]
    assert [warning.text for warning in listing.warnings] == [
        "It has more than 400,000 tags; the rest was not read.",
        "The feed has more than 20,000 entries; the rest was not read.",
    ]


def test_a_long_text_is_not_taken_for_a_tag_with_many_attributes() -> None:
    document = (
        b"<rss><channel><item><description>" + b'a="1" ' * 20_000 + b"</description></item></channel></rss>"
    )
    assert cut_to_limits(document) == (document, None)


PIECES = [
    b"<?xml version='1.0'?>",
    b"<rss>",
    b"<feed xmlns='http://www.w3.org/2005/Atom'>",
    b"<channel>",
    b"<item>",
    b"</item>",
    b"<entry>",
    b"</entry>",
    b"<title>",
    b"</title>",
    b"<link>",
    b"<link href='",
    b"/>",
    b"<![CDATA[",
    b"]]>",
    b"<!--",
    b"-->",
    b"<!DOCTYPE r [",
    b"<!ENTITY a '",
    b"&a;",
    b"&#x110000;",
    b"&#0;",
    b"&nbsp;",
    b"<dc:creator>",
    b"xml:base='http://['",
    b"https://[",
    b"<pubDate>",
    b"{",
    b'{"items":[{"url":',
    b'"',
    b"}]}",
    b"\xff\xfe",
    b"\x00",
    b"<content type='xhtml'>",
    b"<guid>",
    b"<media:content url='//['>",
    b"<html>",
    b"<link rel=alternate type=application/rss+xml href='//['>",
]


@settings(max_examples=400, deadline=None)
@given(
    st.binary(max_size=400)
    | st.lists(st.sampled_from(PIECES) | st.binary(max_size=8), max_size=30).map(b"".join)
)
def test_any_bytes_give_a_listing_or_a_parse_error(data: bytes) -> None:
    try:
        listing = parse_feed(data, URL)
    except ParseError:
        return
    assert all(item.url.startswith(("http://", "https://")) for item in listing.items)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=("C", "Z"), include_characters=" "), max_size=80))
def test_a_title_that_was_written_properly_is_read_back(title: str) -> None:
    item = f"<link href='/1'/><title type='text'>{escape(escape(title, quote=False), quote=False)}</title>"
    document = f"<feed xmlns='http://www.w3.org/2005/Atom'><entry>{item}</entry></feed>"
    assert (parse_feed(document.encode(), URL).items[0].title or "") == " ".join(title.split())
