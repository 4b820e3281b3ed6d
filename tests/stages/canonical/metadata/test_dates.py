"""Dates as pages write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.model.article import Extracted
from inforadar.stages.canonical import extract
from inforadar.stages.canonical.metadata.dates import parse_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-14T19:42:00+02:00", datetime(2024, 5, 14, 19, 42, tzinfo=timezone(timedelta(hours=2)))),
        ("2024-05-14T19:42:00.123Z", datetime(2024, 5, 14, 19, 42, tzinfo=UTC)),
        ("2024-05-14 19:42:00 -0500", datetime(2024, 5, 14, 19, 42, tzinfo=timezone(timedelta(hours=-5)))),
        ("Tue, 14 May 2024 19:42:00 GMT", datetime(2024, 5, 14, 19, 42, tzinfo=UTC)),
        ("Tue, 14-May-24 19:42:00 GMT", datetime(2024, 5, 14, 19, 42, tzinfo=UTC)),
        ("1715715720", datetime(2024, 5, 14, 19, 42, tzinfo=UTC)),
        ("Tue, 14 May 2024 19:42:00 +99999999999999", datetime(2024, 5, 14, 19, 42, tzinfo=UTC)),
        ("Fri, 31 Dec 9999 23:59:59 -0500", None),
        ("Fri, 31 Dec 99999999999999999999 23:59:59 GMT", None),
        ("20240514", datetime(2024, 5, 14, tzinfo=UTC)),
        ("Published on May 14, 2024", datetime(2024, 5, 14, tzinfo=UTC)),
        ("May 14th, 2024 at 7:42 pm", datetime(2024, 5, 14, 19, 42, tzinfo=UTC)),
        ("14 May 2024", datetime(2024, 5, 14, tzinfo=UTC)),
        ("2024 May 14", datetime(2024, 5, 14, tzinfo=UTC)),
        ("Sept. 3, 2019", datetime(2019, 9, 3, tzinfo=UTC)),
        ("14.05.2024, 19:42 Uhr", datetime(2024, 5, 14, 19, 42, tzinfo=UTC)),
        ("12. März 2023", datetime(2023, 3, 12, tzinfo=UTC)),
        ("le 3 août 2021", datetime(2021, 8, 3, tzinfo=UTC)),
        ("22 de enero de 2018", datetime(2018, 1, 22, tzinfo=UTC)),
        ("1º de dezembro de 2020", datetime(2020, 12, 1, tzinfo=UTC)),
        ("14 сентября 2021, 10:05", datetime(2021, 9, 14, 10, 5, tzinfo=UTC)),
        ("7 травня 2020", datetime(2020, 5, 7, tzinfo=UTC)),
        ("2019年10月21日 08:35", datetime(2019, 10, 21, 8, 35, tzinfo=UTC)),
        ("2020년 3월 2일", datetime(2020, 3, 2, tzinfo=UTC)),
        ("12 يناير 2022", datetime(2022, 1, 12, tzinfo=UTC)),
        ("12/31/2023", datetime(2023, 12, 31, tzinfo=UTC)),
        ("31/12/2023", datetime(2023, 12, 31, tzinfo=UTC)),
    ],
)
def test_a_written_date_is_read(text: str, expected: datetime) -> None:
    assert parse_date(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("November 15, 2026 12:30 AM", "00:30"),
        ("November 15, 2026 12:30 PM", "12:30"),
        ("15 November 2026 9:05 pm", "21:05"),
        ("15 de noviembre de 2026, 9:05 p. m.", "21:05"),
        ("2026-11-15 09:05 PM", "21:05"),
        ("11/15/2026 9:05:00 PM", "21:05"),
        ("15.11.2026 9:05 am", "09:05"),
        ("Sun, 15 Nov 2026 9:05 PM", "21:05"),
        ("2026년 11월 15일 오후 9:05", "21:05"),
        ("2026年11月15日上午 12:30", "00:30"),
        ("November 15, 2026 9:05 amidships", "09:05"),
    ],
)
def test_a_half_of_the_day_is_counted_in(text: str, expected: str) -> None:
    assert parse_date(text) == datetime.fromisoformat(f"2026-11-15T{expected}Z")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-15T10:00:00+01", "09:00"),
        ("2026-11-15T10:00:00-05", "15:00"),
        ("2026-11-15 10:00:00 EST", "15:00"),
        ("Nov. 15, 2026 at 9:05 a.m. ET", "14:05"),
        ("November 15, 2026 9:05 AM (PST)", "17:05"),
        ("15 Nov 2026 10:00:00 -0500", "15:00"),
        ("Sun, 15 Nov 2026 10:00:00 CET", "09:00"),
        ("15 ноября 2026, 10:00 UTC+3", "07:00"),
        # Not zones: French for "and", and the end of an event.
        ("15 novembre 2026 à 10:00 et encore", "10:00"),
        ("November 15, 2026 09:00-11:00", "09:00"),
    ],
)
def test_a_zone_is_counted_in(text: str, expected: str) -> None:
    assert parse_date(text) == datetime.fromisoformat(f"2026-11-15T{expected}Z")


@pytest.mark.parametrize(
    "text", ["", "soon", "2024", "call 555 2024 13 45", "31.02.", "99/99/2020", "1 of 2020 pages"]
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert parse_date(text) is None


@given(st.text(max_size=120))
def test_any_text_gives_an_aware_date_or_nothing(text: str) -> None:
    found = parse_date(text)
    assert found is None or found.tzinfo is not None


TEXT = "".join(
    f"<p>The harbour council voted on Tuesday evening to close ferry pier {number} for {number} years.</p>"
    for number in range(2, 9)
)


def dates(head: str, byline: str) -> tuple[str | None, str | None]:
    """Return the days of publication and update of a page with this head and this text below its headline."""
    page = (
        f"<html><head>{head}<title>The ferry pier is closed</title></head><body><article>"
        f"<h1>The ferry pier is closed</h1><div>{byline}</div>{TEXT}</article></body></html>"
    )
    found = extract(page.encode(), "https://quay.example/pier")
    assert isinstance(found, Extracted)
    days = (found.published_at, found.updated_at)
    published, updated = (day.date().isoformat() if day else None for day in days)
    return published, updated


def meta(published: str, updated: str | None = None) -> str:
    stated = f'<meta property="article:published_time" content="{published}">'
    return stated + (f'<meta property="article:modified_time" content="{updated}">' if updated else "")


def test_an_older_date_beside_the_headline_outranks_a_statement_that_tells_no_update_apart() -> None:
    moved = "2025-11-20T16:02:46Z"
    for head in (meta(moved), meta(moved, moved)):
        assert dates(head, "<span>May 14, 2025</span>") == ("2025-05-14", "2025-11-20")


def test_a_statement_stands_against_a_later_date_a_neighbouring_day_and_an_update_of_its_own() -> None:
    stated = "2025-05-14T00:57:00Z"
    assert dates(meta(stated), "<span>June 2, 2025</span>")[0] == "2025-05-14"
    assert dates(meta(stated), "<span>May 13, 2025</span>")[0] == "2025-05-14"
    assert dates(meta(stated, "2025-09-01T10:00:00Z"), "<span>May 1, 2020</span>")[0] == "2025-05-14"


def test_publication_and_update_in_one_line_are_told_apart() -> None:
    line = '<p class="date">December 3, 2025. <i>Updated: December 7, 2025</i></p>'
    assert dates("", line) == ("2025-12-03", "2025-12-07")


def test_the_stamp_of_a_time_counts_not_its_wording() -> None:
    assert dates("", '<div><time datetime="2024-12-20">August 28, 2024</time></div>')[0] == "2024-12-20"
