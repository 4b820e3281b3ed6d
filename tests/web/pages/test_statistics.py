"""Charts by day: they begin where there is something to show."""

from __future__ import annotations

from datetime import date, timedelta

from inforadar.web.pages.statistics import items_by_day

LAST = date(2026, 3, 31)


def row(ago: int, items: int = 1, source: str = "a") -> dict[str, object]:
    return {"day": (LAST - timedelta(days=ago)).isoformat(), "source": source, "items": items}


def test_a_chart_begins_with_its_first_day_and_has_a_week_at_least() -> None:
    for ago, first in ((1, 6), (9, 9), (29, 29), (0, 6)):
        chart = items_by_day([row(ago), row(0)], LAST, 30)
        assert chart.first == LAST - timedelta(days=first)
        assert chart.plot.width == (first + 1) * 12.0
    assert items_by_day([], LAST, 30).rows == []
    assert items_by_day([row(0), row(2)], LAST, 1).plot.width == 12.0, "no more days than were asked for"


def test_a_single_day_is_told_by_its_parts_most_first() -> None:
    chart = items_by_day([row(3, 5), row(3, 20, "b")], LAST, 30)
    assert chart.shares == [("b", "series-0", 20, 100.0), ("a", "series-1", 5, 25.0)]
