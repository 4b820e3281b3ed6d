"""The cells of the terminal's list."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from inforadar.model.ids import FeedId, ItemId
from inforadar.model.item import Item
from inforadar.store.items.order import SortKey
from inforadar.store.people.marks import NO_MARKS
from inforadar.tui.list.columns import (
    COLUMNS,
    DATE,
    NUMBER,
    RATING,
    SCORE,
    SOURCE,
    TITLE,
    TOPIC,
    Row,
    column_widths,
    make_row,
    score_colour,
)
from inforadar.urls import url_hash

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def row_of(**fields: Any) -> Row:
    item = Item(
        id=ItemId(UUID(int=1)),
        feed_id=FeedId(UUID(int=2)),
        url="https://a.example/1",
        hash=url_hash("https://a.example/1"),
        content="",
        published_at=NOW,
        created_at=NOW,
        updated_at=NOW,
        **{"analyzer_result": {}} | fields,
    )
    return make_row(item, NO_MARKS, 1234, now=NOW, visited_at=None)


FULL = row_of(
    source="Northern Wire Dispatches",
    topic="technology and more",
    title="很长的标题 " * 40,
    rating=-12.0,
    views=27_100,
    comments=1200,
    score=0.5,
    analyzed_at=NOW,
)


@pytest.mark.parametrize(
    ("terminal", "least", "kept"),
    [
        (40, 30, {TITLE, DATE}),
        (80, 45, {TITLE, DATE, SCORE, SOURCE}),
        (120, 58, {TITLE, DATE, SCORE, SOURCE}),
        (160, 79, {SOURCE, TOPIC, TITLE, DATE, SCORE}),
    ],
)
def test_other_columns_give_way_to_the_title(terminal: int, least: int, kept: set[int]) -> None:
    widths = dict(column_widths([FULL], terminal - 2, SortKey.DATE))
    assert widths[TITLE] >= least
    assert kept <= widths.keys()
    assert terminal == 160 or NUMBER not in widths
    gap = 2 if terminal >= 102 else 1
    assert sum(widths.values()) + gap * len(widths) <= terminal - 2


@pytest.mark.parametrize("sort", SortKey)
def test_the_column_that_the_list_is_sorted_by_stays_longest(sort: SortKey) -> None:
    shown = [index for index, _ in column_widths([FULL], 38, sort)]
    assert any(COLUMNS[index].sort is sort for index in shown) or sort in {SortKey.SOURCE, SortKey.TOPIC}
    assert RATING not in shown or sort is SortKey.RATING


@pytest.mark.parametrize(
    ("score", "analyzed_at", "cell"),
    [(0.0, NOW, "0.00"), (0.414, NOW, "0.41"), (None, NOW, "n/m"), (None, None, "–")],
)
def test_not_measured_is_neither_zero_nor_not_analyzed(
    score: float | None, analyzed_at: datetime | None, cell: str
) -> None:
    row = row_of(score=score, analyzed_at=analyzed_at)
    assert row.cells[SCORE] == cell
    assert (score_colour(row.item.score) == "muted") == (score is None)
