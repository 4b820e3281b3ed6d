"""Feeds that are not well-formed, each broken in one way that occurs in practice."""

from __future__ import annotations

import pytest

from inforadar.model.feed_warning import FeedWarning
from inforadar.model.item import Listing
from inforadar.stages.discover.feed.parse import NeedsSlowParser, parse_feed, parse_feed_slowly
from inforadar.stages.discover.feed.repair import repair_references, repair_xml

URL = "https://example.org/feed"
REPAIRED = FeedWarning(text="The document is not well-formed XML; it was repaired before reading.")


def read(document: str) -> Listing:
    return parse_feed(document.encode(), URL)


def rss(items: str) -> str:
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>{items}</channel></rss>'


def test_a_raw_ampersand_loses_no_text() -> None:
    listing = read(
        rss("<item><title>Tom & Jerry</title><link>https://example.org/?a=1&b=2&copy=3</link></item>")
    )
    assert listing.items[0].title == "Tom & Jerry"
    assert listing.items[0].url == "https://example.org/?a=1&b=2&copy=3"
    assert listing.warnings == (REPAIRED,)


def test_html_entities_become_characters() -> None:
    listing = read(
        rss("<item><title>Caf&eacute;&nbsp;&mdash; &unknown; &#146;</title><link>/1</link></item>")
    )
    assert listing.items[0].title == "Café — &unknown; ’"


def test_entities_declared_by_the_document_are_expanded() -> None:
    document = (
        '<!DOCTYPE rss [<!ENTITY name "Ann &#38; Bob"><!ENTITY nest "&name;&name;">]>'
        "<rss><channel><item><title>&name;</title><link>/1</link></item></channel></rss>"
    )
    listing = read(document)
    assert listing.items[0].title == "Ann & Bob"
    assert listing.warnings == ()


def test_the_netscape_document_type_is_ignored() -> None:
    document = (
        '<?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" '
        '"http://my.netscape.com/publish/formats/rss-0.91.dtd"><rss version="0.91"><channel><item>'
        "<title>d&eacute;j&agrave;"
        "</title><link>/1</link></item></channel></rss>"
    )
    assert read(document).items[0].title == "déjà"


def test_text_before_the_declaration_is_skipped() -> None:
    for junk in (
        "\n\n  ",
        "\ufeff\n",
        "Warning: something in line 5\n",
        "<br />\n<b>Warning</b>: in line 5<br />\n",
    ):
        assert read(junk + rss("<item><link>/1</link></item>")).items[0].url == "https://example.org/1"


def test_text_after_the_end_is_skipped() -> None:
    document = rss("<item><link>/1</link></item>") + "<!-- cached --><script>x</script> & more"
    assert read(document).items[0].url == "https://example.org/1"


def test_control_characters_are_dropped() -> None:
    assert (
        read(rss("<item><title>a\x00b\x0bc\x1f\ufffe</title><link>/1</link></item>")).items[0].title == "abc"
    )


def test_html_that_was_not_escaped_stays_in_its_field() -> None:
    listing = read(
        rss(
            "<item><link>/1</link><description><p>One<br>two <img src=a.jpg alt='x'><b>three</p>"
            "</description></item>"
            "<item><link>/2</link><description>next</description></item>"
        )
    )
    assert [item.url for item in listing.items] == ["https://example.org/1", "https://example.org/2"]
    assert listing.items[0].snippet == "One two three"
    assert listing.items[0].content is not None
    assert 'src="a.jpg"' in listing.items[0].content


def test_fields_that_are_not_closed_end_where_the_next_begins() -> None:
    listing = read(rss("<item><title>One<link>/1</link><description>Two<pubDate>2026-11-15</pubDate></item>"))
    assert (listing.items[0].title, listing.items[0].snippet) == ("One", "Two")
    assert listing.items[0].published_at is not None


def test_items_that_are_not_closed_end_where_the_next_begins() -> None:
    listing = read(rss("<item><link>/1</link><item><link>/2</link><item><link>/3</link>"))
    assert [item.url[-1] for item in listing.items] == ["1", "2", "3"]


def test_a_document_cut_short_gives_what_is_there() -> None:
    whole = rss("".join(f"<item><title>{n}</title><link>/{n}</link></item>" for n in range(10)))
    for end in range(whole.index("</item>") + 7, len(whole), 7):
        assert read(whole[:end]).items[0].title == "0"


def test_undeclared_prefixes_have_their_usual_meaning() -> None:
    listing = read(
        rss(
            "<item><link>/1</link><dc:creator>Ann</dc:creator><content:encoded>Long</content:encoded>"
            "<slash:comments>3</slash:comments></item>"
        )
    )
    item = listing.items[0]
    assert (item.author, item.content, item.comments) == ("Ann", "Long", 3)


def test_attributes_without_quotes_or_twice_are_read() -> None:
    document = (
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link rel=alternate "
        "href=https://example.org/1 href='/2' checked/>"
        '<link rel="self" href="/?a=1&b=2" title="5 < 6"/></entry></feed>'
    )
    assert read(document).items[0].url == "https://example.org/1"


def test_stray_end_tags_and_wrong_case_are_tolerated() -> None:
    listing = read(rss("</p><item><title>One</TITLE></title><link>/1</link></b></item></channel></div>"))
    assert listing.items[0].url == "https://example.org/1"


def test_a_section_that_never_ends_is_read_as_the_rest_of_the_document() -> None:
    listing = read(rss("<item><link>/1</link><title><![CDATA[One</title></item><item><link>/2</link></item>"))
    assert [item.url[-1] for item in listing.items] == ["1", "2"]


def test_items_after_the_end_of_the_feed_still_count() -> None:
    document = "<rss><channel><item><link>/1</link></item></channel></rss><item><link>/2</link></item>"
    assert [item.url[-1] for item in read(document).items] == ["1", "2"]


def test_a_feed_inside_a_page_is_read() -> None:
    document = (
        '<!DOCTYPE html><html><body><feed xmlns="http://www.w3.org/2005/Atom"><entry><link '
        'href="/1"/></entry></feed>'
        "</body></html>"
    )
    assert read(document).items[0].url == "https://example.org/1"


def test_entries_inside_an_extension_are_not_taken_apart() -> None:
    listing = read(
        rss(
            "<item><link>/1</link><sx:conflicts><item><link>/old</link></item></sx:conflicts><title>"
            "a & b</title></item>"
        )
    )
    assert [(item.url, item.title) for item in listing.items] == [("https://example.org/1", "a & b")]


def test_an_empty_feed_is_a_feed() -> None:
    listing = read("<rss version='2.0'><channel><title>Quiet & still</title></channel></rss>")
    assert (listing.title, listing.items) == ("Quiet & still", ())


def test_well_formed_xml_is_left_unchanged() -> None:
    text = '<rss a="1"><channel><item><title>x &amp; y</title><c/><![CDATA[<&>]]></item></channel></rss>'
    assert repair_xml(text)[:2] == (text, None)


def test_references_are_repaired_without_touching_tags_comments_and_sections() -> None:
    text = '<rss a="x&#34;&y"><!-- & --><![CDATA[&nbsp;]]>&nbsp;&amp;&#146;\x02</rss> and more > text'
    assert repair_references(text) == (
        '<rss a="x&quot;&amp;y"><!-- & --><![CDATA[&nbsp;]]>\xa0&amp;’</rss>',
        None,
    )


def test_text_after_the_last_tag_stays_if_that_opens_an_element() -> None:
    listing = read(rss("<item><link>/1</link></item>") + "<item><title>Late & last</title><link>/2</link>")
    assert [item.url for item in listing.items] == ["https://example.org/1", "https://example.org/2"]
    assert listing.items[1].title == "Late & last"


def test_an_undeclared_prefix_loses_nothing() -> None:
    listing = read(rss("<item><dc:creator>Ann & Bob</dc:creator><link>/1</link></item>"))
    assert (listing.items[0].author, listing.warnings) == ("Ann & Bob", (REPAIRED,))


def test_a_quotation_mark_that_a_reference_stands_for_does_not_end_its_attribute() -> None:
    listing = read('<feed><entry><title>a & b</title><link href="/1?q=&#34;x&#34;&r=2"/></entry></feed>')
    assert listing.items[0].url == "https://example.org/1?q=%22x%22&r=2"


def test_entities_of_a_document_without_other_faults_are_limited_too() -> None:
    document = (
        f'<!DOCTYPE rss [<!ENTITY e "{"x" * 9_000}">]><rss><channel><item><link>/1</link>'
        f"<description>{'&e;' * 200}</description></item></channel></rss>"
    )
    listing = read(document)
    assert len(listing.items[0].content or "") <= 1_000_000
    assert [warning.is_loss for warning in listing.warnings] == [True]


def test_a_document_only_the_slow_parser_may_read_asks_for_it() -> None:
    document = b"<rss><channel><!-- <item><title>One</title><link>https://example.org/1</link></item></rss>"
    with pytest.raises(NeedsSlowParser, match="too broken"):
        parse_feed(document, URL)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_slow_parser_gives_the_same_kind_of_listing() -> None:
    document = rss(
        "<item><title>One & two</title><link>/1</link><pubDate>Sun, 15 Nov 2026 08:36:00 GMT</pubDate>"
        "<category>World</category><description>Text</description></item>"
    )
    listing = parse_feed_slowly(document.encode(), URL, "text/xml")
    fast = read(document)
    assert listing.items == fast.items
    (warning,) = listing.warnings
    assert (warning.text, warning.is_loss) == (
        "The document is badly broken; parts of it were guessed.",
        True,
    )
