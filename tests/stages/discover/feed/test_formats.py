"""Every format and extension, read from small feeds written for these tests."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from inforadar.model.feed_warning import left_out
from inforadar.model.item import Enclosure, Listed, Listing
from inforadar.stages.discover.feed.parse import parse_feed

URL = "https://example.org/news/feed.xml"
MORNING = datetime(2026, 11, 15, 8, 36, tzinfo=UTC)

NAMESPACES = (
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" '
    'xmlns:sy="http://purl.org/rss/1.0/modules/syndication/" '
    'xmlns:slash="http://purl.org/rss/1.0/modules/slash/" '
    'xmlns:thr="http://purl.org/syndication/thread/1.0" xmlns:atom="http://www.w3.org/2005/Atom"'
)


def rss(items: str, channel: str = "") -> Listing:
    document = (
        f'<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" {NAMESPACES}><channel>'
        f"<title>News</title><link>https://example.org/</link>{channel}{items}</channel></rss>"
    )
    return parse_feed(document.encode(), URL)


def item(content: str) -> Listed:
    listing = rss(f"<item><link>https://example.org/1</link>{content}</item>")
    assert len(listing.items) == 1
    return listing.items[0]


def entry(content: str, feed: str = "", attributes: str = "") -> Listed:
    document = (
        f'<feed xmlns="http://www.w3.org/2005/Atom" '
        f'xmlns:thr="http://purl.org/syndication/thread/1.0"{attributes}>'
        f"<title>News</title>{feed}<entry>{content}</entry></feed>"
    )
    listing = parse_feed(document.encode(), URL)
    assert len(listing.items) == 1
    return listing.items[0]


def test_rss_2_is_read_with_all_its_fields() -> None:
    listing = rss(
        "<item><title>Новости 新闻 &amp; أخبار 🎉</title><link>"
        "https://example.org/1?utm_source=rss&amp;id=5</link>"
        "<guid isPermaLink='false'>abc</guid><pubDate>Sun, 15 Nov 2026 09:36:00 +0100</pubDate>"
        "<author>ann@example.org (Ann)</author><category>World</category><category>Politics</category>"
        "<description>A &lt;b&gt;short&lt;/b&gt; text</description></item>",
        "<description>All of it</description><language>en-gb</language>",
    )
    assert (listing.title, listing.link, listing.description, listing.language) == (
        "News",
        "https://example.org/",
        "All of it",
        "en-gb",
    )
    assert listing.warnings == ()
    assert listing.items == (
        Listed(
            url="https://example.org/1?id=5",
            guid="abc",
            title="Новости 新闻 & أخبار 🎉",
            published_at=MORNING,
            author="Ann",
            snippet="A short text",
            content="A <b>short</b> text",
            tags=("World", "Politics"),
        ),
    )


@pytest.mark.parametrize("version", ["0.91", "0.92", "0.93", "0.94"])
def test_the_older_versions_of_rss_are_read(version: str) -> None:
    document = (
        f'<rss version="{version}"><channel><title>Old</title><link>https://example.org/</link>'
        "<item><title>One</title><link>https://example.org/1</link></item></channel></rss>"
    )
    listing = parse_feed(document.encode(), URL)
    assert [(one.url, one.title) for one in listing.items] == [("https://example.org/1", "One")]


@pytest.mark.parametrize("namespace", ["http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/"])
def test_rss_of_rdf_has_its_items_beside_the_channel(namespace: str) -> None:
    document = (
        f'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="{namespace}" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="https://example.org/">'
        "<title>RDF</title>"
        '<link>https://example.org/</link></channel><item rdf:about="https://example.org/1"><title>'
        "One</title>"
        "<link>https://example.org/1</link><dc:date>2026-11-15T08:36:00Z</dc:date><dc:creator>"
        "Ann</dc:creator>"
        "<dc:subject>World</dc:subject></item></rdf:RDF>"
    )
    listing = parse_feed(document.encode(), URL)
    assert listing.title == "RDF"
    assert listing.items == (
        Listed(
            url="https://example.org/1",
            title="One",
            published_at=MORNING,
            author="Ann",
            tags=("World",),
        ),
    )


def test_atom_1_is_read_with_all_its_fields() -> None:
    one = entry(
        '<title type="html">A &amp;lt;b&gt; is not &lt;b&gt;bold&lt;/b&gt;</title><id>'
        "tag:example.org,2026:1</id>"
        '<link rel="self" href="/1.atom"/><link rel="alternate" type="application/pdf" href="/1.pdf"/>'
        '<link rel="alternate" type="text/html" href="/1"/><link rel="enclosure" href="/1.mp3"/>'
        "<published>2026-11-15T09:36:00+01:00</published><updated>2026-11-15T12:00:00Z</updated>"
        '<author><email>a@example.org</email><name>Ann</name></author><category term="World" label="w"/>'
        '<summary>Short</summary><content type="html">&lt;p&gt;Long&lt;/p&gt;</content>'
    )
    assert one.url == "https://example.org/1"
    assert one.guid == "tag:example.org,2026:1"
    assert one.published_at == MORNING
    assert one.updated_at == datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
    assert (one.author, one.tags, one.snippet, one.content) == ("Ann", ("World",), "Short", "<p>Long</p>")


def test_atom_03_is_read() -> None:
    document = (
        '<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>Old</title><tagline>'
        "Words</tagline><entry>"
        '<title>One</title><link rel="alternate" type="text/html" href="https://example.org/1"/><id>1</id>'
        "<issued>2026-11-15T08:36:00Z</issued><modified>2026-11-15T09:00:00Z</modified>"
        '<content type="text/html" mode="base64">PHA+SGVsbG88L3A+</content></entry></feed>'
    )
    listing = parse_feed(document.encode(), URL)
    assert listing.description == "Words"
    assert listing.items[0].published_at == MORNING
    assert listing.items[0].content == "<p>Hello</p>"


def test_xhtml_content_is_written_out_without_its_box_and_namespaces() -> None:
    one = entry(
        '<id>https://example.org/1</id><link href="https://example.org/1"/><content type="xhtml">'
        '<x:div xmlns:x="http://www.w3.org/1999/xhtml"><x:p>One &amp; <x:em>two</x:em></x:p></x:div>'
        "</content>"
    )
    assert one.content == "<p>One &amp; <em>two</em></p>"
    assert one.snippet == "One & two"


def test_plain_text_of_atom_is_not_taken_for_markup() -> None:
    one = entry(
        '<link href="/1"/><title type="text">Use &lt;div&gt; well</title><content type="text">1 &lt; '
        "2 &amp; 3</content>"
    )
    assert one.title == "Use <div> well"
    assert one.content == "1 &lt; 2 &amp; 3"
    assert one.snippet == "1 < 2 & 3"


def test_an_entry_without_an_author_has_the_feeds() -> None:
    assert entry('<link href="/1"/>', "<author><name>Ann</name></author>").author == "Ann"


def test_each_xml_base_changes_what_links_are_relative_to() -> None:
    one = entry('<link href="page"/>', attributes=' xml:base="/blog/"')
    assert one.url == "https://example.org/blog/page"
    document = (
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://other.example/a/"><entry xml:base="b/">'
        '<link xml:base="c/" href="page"/></entry></feed>'
    )
    assert parse_feed(document.encode(), URL).items[0].url == "https://other.example/a/b/c/page"


def test_a_base_longer_than_any_address_is_passed_over() -> None:
    long = "a" * 1_990
    one = entry('<link href="page"/>', attributes=f' xml:base="/{long}{long}/"')
    assert one.url == "https://example.org/news/page"
    one = entry(f'<link href="page" xml:base="{long}/"/>', attributes=' xml:base="/blog/"')
    assert one.url == "https://example.org/blog/page"


def test_relative_links_of_rss_are_relative_to_the_feed() -> None:
    assert rss("<item><link>../1</link></item>").items[0].url == "https://example.org/1"
    assert rss("<item><link>//cdn.example.org/1</link></item>").items[0].url == "https://cdn.example.org/1"


@pytest.mark.parametrize(
    ("channel", "link"),
    [
        (
            '<link>https://a.example/</link><atom:link rel="self" href="https://b.example/feed"/>',
            "https://a.example/",
        ),
        (
            '<atom:link href="https://b.example/feed" rel="self"/><link>https://a.example/</link>',
            "https://a.example/",
        ),
    ],
)
def test_a_feeds_link_to_itself_is_not_taken_for_its_site(channel: str, link: str) -> None:
    document = f'<rss xmlns:atom="http://www.w3.org/2005/Atom"><channel>{channel}<item/></channel></rss>'
    assert parse_feed(document.encode(), URL).link == link


def test_an_item_without_a_link_goes_by_its_permanent_guid() -> None:
    assert rss("<item><guid>https://example.org/1</guid></item>").items[0].url == "https://example.org/1"
    listing = rss('<item><title>kept</title><guid isPermaLink="false">https://example.org/1</guid></item>')
    assert [(one.url, one.has_link) for one in listing.items] == [("https://example.org/1", True)]
    assert listing.warnings == ()


def test_an_item_without_a_guid_is_known_by_its_page() -> None:
    assert item("<title>One</title>").guid is None


def test_an_atom_entry_without_an_alternate_link_goes_by_where_it_is_served() -> None:
    assert entry('<id>urn:1</id><link rel="self" href="/entries/1"/>').url == "https://example.org/entries/1"


def test_an_entry_without_any_link_is_listed_under_the_site() -> None:
    file = '<enclosure url="/1.mp3" type="audio/mpeg"/>'
    (one,) = rss(f"<item><title>Один</title>{file}</item>").items
    assert (one.url, one.has_link, one.title) == ("https://example.org/", False, "Один")
    assert one.former_url == "https://example.org/1.mp3"
    document = b"<rss><channel><item><title>No site either</title></item></channel></rss>"
    assert [two.url for two in parse_feed(document, URL).items] == [URL]


def test_entries_that_share_a_page_are_all_listed_with_their_fragments() -> None:
    listing = rss(
        "<item><link>/1</link><title>new</title></item><item><link>/1#x y</link><title>old</title></item>"
    )
    assert [(one.url, one.fragment, one.shares_page) for one in listing.items] == [
        ("https://example.org/1", "", True),
        ("https://example.org/1", "x%20y", True),
    ]
    assert listing.warnings == ()


def test_a_fragment_that_only_tells_where_readers_come_from_is_dropped() -> None:
    (one,) = rss("<item><link>/1#xtor=RSS-1</link><title>T</title></item>").items
    assert (one.url, one.fragment) == ("https://example.org/1", "")


def test_files_are_read_from_each_way_to_name_them_once() -> None:
    one = item(
        '<enclosure url="/1.mp3?sig=a%2Fb&amp;utm_source=x" type="audio/mpeg" length="4200"/>'
        "<itunes:duration>1:02:03</itunes:duration><itunes:season>2</itunes:season><itunes:episode>7</itunes:episode>"
        '<media:content url="/1.mp3?sig=a%2Fb&amp;utm_source=x" fileSize="1"/>'
        '<media:group><media:content url="/1.mp4" type="video/mp4" duration="61.5" fileSize="99">'
        "<media:title>Фильм</media:title></media:content></media:group>"
        '<media:thumbnail url="/1.jpg"/><comments>/1/discuss</comments>'
        "<dc:creator>Ann</dc:creator><dc:creator>Борис</dc:creator>"
    )
    assert one.enclosures == (
        Enclosure(
            url="https://example.org/1.mp3?sig=a%2Fb&utm_source=x",
            type="audio/mpeg",
            length=4200,
            duration=3723,
        ),
        Enclosure(url="https://example.org/1.mp4", type="video/mp4", length=99, duration=61, title="Фильм"),
    )
    assert (one.season, one.episode, one.image) == (2, 7, "https://example.org/1.jpg")
    assert (one.comments_url, one.author, one.authors) == (
        "https://example.org/1/discuss",
        "Ann",
        ("Ann", "Борис"),
    )


@pytest.mark.parametrize("wrong", ["javascript:alert(1)", "data:audio/mp3;base64,AA", "", "http://"])
def test_a_file_that_cannot_be_fetched_is_left_out(wrong: str) -> None:
    assert item(f'<enclosure url="{wrong}" length="many"/>').enclosures == ()


def test_files_authors_and_discussion_of_atom_are_read() -> None:
    one = entry(
        '<link href="/1"/><link rel="enclosure" href="/1.ogg" type="audio/ogg" length="7" title="Ton"/>'
        '<link rel="replies" type="text/html" href="/1#comments"/>'
        "<author><name>Ann</name></author><author><name>李明</name></author>"
    )
    assert one.enclosures == (
        Enclosure(url="https://example.org/1.ogg", type="audio/ogg", length=7, title="Ton"),
    )
    assert (one.authors, one.comments_url) == (("Ann", "李明"), "https://example.org/1#comments")


def test_an_atom_entry_with_only_a_date_of_change_has_that_date() -> None:
    one = entry('<link href="/1"/><updated>2026-11-15T08:36:00Z</updated>')
    assert (one.published_at, one.updated_at) == (MORNING, MORNING)


@pytest.mark.parametrize(
    "channel",
    [
        "<image><url>/icon.png</url><title>T</title></image>",
        '<itunes:image href="/icon.png"/>',
        "<atom:icon>/icon.png</atom:icon>",
    ],
)
def test_a_feed_has_a_picture(channel: str) -> None:
    assert rss(f"{channel}<item><link>/1</link></item>").icon == "https://example.org/icon.png"


def test_the_longest_content_is_taken_and_the_description_is_the_snippet() -> None:
    one = item(
        "<description>Short</description><content:encoded><![CDATA[<p>Long & <i>wide</i></p>]]>"
        "</content:encoded>"
    )
    assert one.content == "<p>Long & <i>wide</i></p>"
    assert one.snippet == "Short"


def test_counters_are_read_and_zero_is_one_of_them() -> None:
    assert item("<slash:comments>0</slash:comments>").comments == 0
    assert (
        item("<slash:comments> 12 </slash:comments><comments>https://example.org/1#c</comments>").comments
        == 12
    )
    assert item("<slash:comments>many</slash:comments>").comments is None
    assert entry('<link href="/1"/><thr:total>7</thr:total>').comments == 7
    statistics = (
        '<media:group><media:community><media:statistics views="345"/></media:community></media:group>'
    )
    assert item(statistics).views == 345


@pytest.mark.parametrize(
    ("content", "image"),
    [
        ('<media:thumbnail url="/a.jpg"/>', "https://example.org/a.jpg"),
        (
            '<media:content url="/a.mp4" type="video/mp4"/><media:content url="/a.jpg" medium="image"/>',
            "https://example.org/a.jpg",
        ),
        (
            '<media:group><media:content url="/a.png" type="image/png"/></media:group>',
            "https://example.org/a.png",
        ),
        ('<itunes:image href="/a.jpg"/>', "https://example.org/a.jpg"),
        ('<enclosure url="/a.jpg" type="image/jpeg" length="1"/>', "https://example.org/a.jpg"),
        ('<enclosure url="/a.mp3" type="audio/mpeg" length="1"/>', None),
    ],
)
def test_a_picture_is_found_wherever_it_is_put(content: str, image: str | None) -> None:
    assert item(content).image == image


def test_the_description_of_a_video_is_its_summary() -> None:
    one = item("<media:group><media:description>What you see</media:description></media:group>")
    assert one.snippet == "What you see"


def test_tags_of_media_and_podcasts_stand_in_for_missing_ones() -> None:
    assert item("<itunes:keywords>salt, pepper,,</itunes:keywords>").tags == ("salt", "pepper")
    assert item("<media:category>music</media:category>").tags == ("music",)
    assert item("<category>World</category><itunes:keywords>salt</itunes:keywords>").tags == ("World",)


def test_hints_about_the_schedule_are_read() -> None:
    hints = rss(
        "",
        "<ttl>60</ttl><skipHours><hour>0</hour><hour>24</hour><hour>7</hour><hour>99</hour><hour>"
        "x</hour></skipHours>"
        "<skipDays><day>Saturday</day><day>sunday </day><day>Noday</day></skipDays>"
        "<sy:updatePeriod> hourly </sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>",
    ).hints
    assert hints.ttl_s == 3600
    assert hints.skip_hours == {0, 7}
    assert hints.skip_days == {5, 6}
    assert hints.update_period_s == 1800


def test_a_feed_without_hints_gives_none() -> None:
    hints = rss("", "<ttl>soon</ttl><sy:updatePeriod>sometimes</sy:updatePeriod>").hints
    assert (hints.ttl_s, hints.update_period_s, hints.skip_hours) == (None, None, frozenset())


def test_a_date_that_is_none_is_left_out_and_the_next_best_taken() -> None:
    assert item("<pubDate>yesterday</pubDate>").published_at is None
    assert item("<pubDate>yesterday</pubDate><dc:date>2026-11-15T08:36:00Z</dc:date>").published_at == MORNING


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("AT&amp;amp;T", "AT&T"),
        ("Caf&amp;#233; &amp;ndash; &amp;quot;open&amp;quot;", 'Café – "open"'),
        ("&lt;b&gt;Bold&lt;/b&gt; news", "Bold news"),
        ("How to use &lt;div&gt;s", "How to use s"),
        ("Generic &lt;T&gt; types", "Generic <T> types"),
        ("1 &lt; 2", "1 < 2"),
        ("  two \n\t lines ", "two lines"),
        ("", None),
    ],
)
def test_a_title_is_one_line_of_plain_text(title: str, expected: str | None) -> None:
    assert item(f"<title>{title}</title>").title == expected


def test_a_snippet_is_cut_at_a_word_and_shows_no_script() -> None:
    snippet = item(f"<description>&lt;script&gt;evil()&lt;/script&gt;{'слово ' * 400}</description>").snippet
    assert snippet is not None
    assert "evil" not in snippet
    assert len(snippet) <= 1000
    assert snippet.endswith("слово…")


def test_namespaces_are_known_however_they_are_spelled() -> None:
    document = (
        '<rss xmlns:x="HTTPS://PURL.ORG/DC/ELEMENTS/1.1" xmlns:y="http://backend.userland.com/rss2"><channel>'
        "<y:item><y:link>https://example.org/1</y:link><x:creator>Ann</x:creator></y:item></channel></rss>"
    )
    assert parse_feed(document.encode(), URL).items[0].author == "Ann"


def test_json_feed_is_read_with_all_its_fields() -> None:
    document = """{"version": "https://jsonfeed.org/version/1.1", "title": "Новости", "home_page_url": "/",
        "language": "ru", "description": "Все", "icon": "/i.png", "authors": [{"name": "Анна"}], "items": [
        {"id": 1, "url": "/1", "title": "A <b> tag", "content_html": "<p>Long</p>", "summary": "Short",
         "image": "/a.jpg", "date_published": "2026-11-15T08:36:00Z",
         "date_modified": "2026-11-15T09:36:00+01:00", "tags": ["a", 5, "b"]},
        {"id": "https://example.org/2", "content_text": "1 < 2", "author": {"name": "Bob"}, "language": "en"},
        {"id": "3", "attachments": [{"url": "https://example.org/3.mp3", "mime_type": "audio/mpeg", "title": "Три",
         "size_in_bytes": 5, "duration_in_seconds": 61.4}, {"url": "file:///etc/passwd"}]},
        {"id": "lost"}, {"id": "4", "title": "kept"}, "nonsense"]}"""
    listing = parse_feed(document.encode(), URL)
    assert (listing.title, listing.link, listing.language) == ("Новости", "https://example.org/", "ru")
    first, second, third, fourth = listing.items
    assert first == Listed(
        url="https://example.org/1",
        guid="1",
        title="A <b> tag",
        published_at=MORNING,
        author="Анна",
        snippet="Short",
        content="<p>Long</p>",
        tags=("a", "b"),
        image="https://example.org/a.jpg",
    )
    assert (second.url, second.content, second.author, second.language) == (
        "https://example.org/2",
        "1 &lt; 2",
        "Bob",
        "en",
    )
    assert third.enclosures == (
        Enclosure(url="https://example.org/3.mp3", type="audio/mpeg", length=5, duration=61, title="Три"),
    )
    assert (third.url, third.has_link) == ("https://example.org/", False)
    assert fourth.title == "kept"
    assert listing.warnings == left_out(1, "empty")
    assert listing.icon == "https://example.org/i.png"


def test_json_feed_1_0_with_a_mark_and_raw_line_breaks_is_read() -> None:
    item = '{"url": "/1", "content_text": "a\nb"}'
    document = f'\ufeff{{"version": "https://jsonfeed.org/version/1", "items": [{item}]}}'
    assert parse_feed(document.encode(), URL).items[0].snippet == "a b"


@pytest.mark.parametrize("markup_chars", [1, 25, 250])
def test_a_snippet_is_the_same_however_much_markup_its_text_has(markup_chars: int) -> None:
    words = [f"word{number}&#33;" for number in range(400)]
    marked = [f"<b class='{'x' * markup_chars}'>{word}</b>" for word in words]
    plain, rich = (
        parse_feed(
            "<rss><channel><item><link>/1</link><description><![CDATA["
            f"{' '.join(texts)}]]></description></item></channel></rss>".encode(),
            "https://example.org/feed",
        )
        .items[0]
        .snippet
        for texts in (words, marked)
    )
    assert plain is not None
    assert len(plain) > 950
    assert rich == plain
