"""Dates that name no zone are read in the feed's; those that name one are not touched by it (X8)."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.errors import UsageError
from inforadar.model.sitemap import SitemapEntry, SitemapRef
from inforadar.model.zone import former_reading, zone_named
from inforadar.stages.discover.dates.absolute import parse_date
from inforadar.stages.discover.feed.parse import parse_feed, parse_feed_slowly
from inforadar.stages.discover.sitemap.parse import SitemapReader

URL = "https://example.org/feed"
MOSCOW = ZoneInfo("Europe/Moscow")
NEW_YORK = ZoneInfo("America/New_York")
NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def rss(date: str) -> bytes:
    item = f"<item><title>One</title><link>https://example.org/1</link><pubDate>{date}</pubDate></item>"
    return f'<rss version="2.0"><channel><title>News</title>{item}</channel></rss>'.encode()


def atom(date: str) -> bytes:
    entry = (
        f'<entry><title>One</title><link href="https://example.org/1"/><published>{date}</published></entry>'
    )
    return f'<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>{entry}</feed>'.encode()


def json_feed(date: str) -> bytes:
    item = f'{{"id": "1", "url": "https://example.org/1", "date_published": "{date}"}}'
    return f'{{"version": "https://jsonfeed.org/version/1.1", "items": [{item}]}}'.encode()


def broken(date: str) -> bytes:
    return rss(date).replace(b"One", b"One & two <br>")


@pytest.mark.parametrize("document", [rss, atom, json_feed, broken])
@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-15T15:00:00", NOON),
        ("2026-11-15 15:00", NOON),
        ("Sun, 15 Nov 2026 15:00:00", NOON),
        ("15 ноября 2026, 15:00", NOON),
        ("2026年11月15日 15:00", NOON),
        ("2026-11-15", datetime(2026, 11, 14, 21, 0, tzinfo=UTC)),
        ("2026-11-15T12:00:00Z", NOON),
        ("2026-11-15T13:00:00+01:00", NOON),
        ("Sun, 15 Nov 2026 07:00:00 EST", NOON),
        ("15 ноября 2026, 14:00 +0200", NOON),
        ("1794744000", NOON),
    ],
)
def test_each_format_reads_its_dates_in_the_feeds_zone(document: object, text: str, moment: datetime) -> None:
    assert callable(document)
    (item,) = parse_feed(document(text), URL, "", MOSCOW).items
    assert item.published_at == moment


def test_without_a_zone_of_its_own_a_feed_is_read_in_utc() -> None:
    assert parse_feed(rss("2026-11-15T12:00:00"), URL).items[0].published_at == NOON


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("text", ["2026-11-15T15:00:00", "Sun, 15 Nov 2026 12:00:00 GMT"])
def test_the_slow_parser_reads_dates_in_the_feeds_zone_too(text: str) -> None:
    assert parse_feed_slowly(rss(text), URL, "text/xml", MOSCOW).items[0].published_at == NOON


@pytest.mark.parametrize(
    "opening", ["", "<!-- for expat -->", "<url><loc>https://example.org/&nbsp;</loc></url>"]
)
def test_a_sitemap_reads_its_dates_in_the_feeds_zone_however_it_is_read(opening: str) -> None:
    texts = ("2026-11-15T15:00:00", "2026-11-15T12:00:00Z", "2026-11-15")
    rows = "".join(
        f"<url><loc>https://example.org/{number}</loc><lastmod>{text}</lastmod></url>"
        for number, text in enumerate(texts)
    )
    found = list(SitemapReader(f"<urlset>{opening}{rows}</urlset>".encode(), URL, zone=MOSCOW))[-3:]
    assert all(isinstance(row, SitemapEntry) for row in found)
    midnight = datetime(2026, 11, 14, 21, 0, tzinfo=UTC)
    assert [row.lastmod for row in found] == [NOON, NOON, midnight]


def test_an_index_and_a_feed_that_serves_as_a_sitemap_are_read_in_the_feeds_zone() -> None:
    row = "<sitemap><loc>https://example.org/a.xml</loc><lastmod>2026-11-15T15:00:00</lastmod></sitemap>"
    (ref,) = SitemapReader(f"<sitemapindex>{row}</sitemapindex>".encode(), URL, zone=MOSCOW)
    assert isinstance(ref, SitemapRef)
    assert ref.lastmod == NOON
    (entry,) = SitemapReader(rss("2026-11-15T15:00:00"), URL, zone=MOSCOW)
    assert entry.lastmod == NOON


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-03-08T02:30:00", 7),  # no clock showed it: as if summer time had not begun
        ("Sun, 1 Nov 2026 01:30:00", 5),  # clocks showed it twice: the first time
    ],
)
def test_hours_that_a_clock_skips_or_repeats_are_read(text: str, hour: int) -> None:
    found = parse_date(text, NEW_YORK)
    assert found is not None
    assert (found.hour, found.minute) == (hour, 30)


@pytest.mark.parametrize("zone", [NEW_YORK, ZoneInfo("Pacific/Kiritimati")])
@pytest.mark.parametrize("text", ["9999-12-31T23:59:59", "0001-01-01T00:00:00", "31 December 9999 23:59"])
def test_the_ends_of_the_calendar_are_no_crash(text: str, zone: ZoneInfo) -> None:
    parse_date(text, zone)
    end = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
    assert former_reading(end, zone=zone, former=UTC) is not None


@pytest.mark.parametrize(
    "name", ["Mars/Base", "Europe", "+03:00", "../etc/passwd", "x" * 500, "a\0b", "\ud800"]
)
def test_what_is_no_time_zone_is_refused_with_what_to_write(name: str) -> None:
    with pytest.raises(UsageError, match="is no time zone; write it like Europe/Moscow"):
        zone_named(name)


def test_no_name_is_utc() -> None:
    assert (zone_named(None), zone_named("")) == (UTC, UTC)


@given(
    st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2090, 1, 1)),  # noqa: DTZ001 - a text's
    st.sampled_from([UTC, MOSCOW, NEW_YORK, ZoneInfo("Asia/Kathmandu")]),
)
def test_what_a_date_means_in_the_former_zone_follows_from_what_it_means_now(
    wall: datetime, former: ZoneInfo
) -> None:
    text, tokyo = wall.isoformat(), ZoneInfo("Asia/Tokyo")
    now, then = parse_date(text, tokyo), parse_date(text, former)
    assert now is not None
    assert former_reading(now, zone=tokyo, former=former) == then


def test_without_a_zone_or_with_utc_it_is_the_one_that_readers_know() -> None:
    assert zone_named(None) is zone_named("") is zone_named("UTC") is UTC
