"""Which number of `11/04/2026` is the day: by the document's other dates, else by its language, else nobody knows."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from inforadar.stages.discover.dates.absolute import DateOrder, parse_date
from inforadar.stages.discover.dates.order import find_date_order
from inforadar.stages.discover.feed.parse import parse_feed

APRIL = datetime(2026, 4, 11, tzinfo=UTC)
NOVEMBER = datetime(2026, 11, 4, tzinfo=UTC)


def first_date(*dates: str, language: str = "") -> datetime | None:
    items = "".join(
        f"<item><title>Новость {number}</title><link>https://example.org/{number}</link><pubDate>{date}</pubDate></item>"
        for number, date in enumerate(dates)
    )
    document = f"<rss version='2.0'><channel><language>{language}</language>{items}</channel></rss>"
    return parse_feed(document.encode(), "https://example.org/feed").items[0].published_at


@pytest.mark.parametrize(
    ("dates", "language", "expected"),
    [
        (["11/04/2026"], "", None),
        (["11/04/2026"], "en", None),
        (["11/04/2026"], "zh-cn", None),
        (["11/04/2026"], "en-US", NOVEMBER),
        (["11/04/2026"], "en_us", NOVEMBER),
        (["11/04/2026"], "en-GB", APRIL),
        (["11/04/2026"], "ru", APRIL),
        (["11-04-2026"], "fr-FR", APRIL),
        (["11/04/2026", "25/04/2026"], "en-US", APRIL),
        (["11/04/2026", "04/25/2026"], "ru", NOVEMBER),
        (["11/04/2026", "04/25/2026", "25/04/2026"], "en-US", None),
        (["11/04/2026 12:00 AM"], "", None),
        (["11.04.2026"], "", APRIL),
        (["04/04/2026"], "", datetime(2026, 4, 4, tzinfo=UTC)),
        (["04/25/2026"], "", datetime(2026, 4, 25, tzinfo=UTC)),
    ],
)
def test_a_feeds_other_dates_or_its_language_decide(
    dates: list[str], language: str, expected: datetime | None
) -> None:
    assert first_date(*dates, language=language) == expected


def test_a_json_feed_is_read_likewise() -> None:
    item = '{"url": "https://example.org/%d", "title": "新闻", "date_published": "%s"}'
    for second, expected in (("25/04/2026", APRIL), ("04/25/2026", NOVEMBER), ("2026-04-25", None)):
        text = f'{{"items": [{item % (1, "11/04/2026")}, {item % (2, second)}]}}'
        assert parse_feed(text.encode(), "https://example.org/feed").items[0].published_at == expected


def test_dates_without_such_numbers_have_no_order() -> None:
    assert find_date_order(["2026-04-11", "Sat, 11 Apr 2026 10:00:00 GMT"], "ru") is DateOrder.UNKNOWN


@pytest.mark.parametrize("order", list(DateOrder))
def test_a_date_that_has_one_meaning_has_it_in_every_order(order: DateOrder) -> None:
    for text in ("2026-04-11", "2026/04/11", "11.04.2026", "11 апреля 2026", "Sat, 11 Apr 2026 00:00:00 GMT"):
        assert parse_date(text, UTC, order) == APRIL
