"""The list's columns: what stands in them, and how wide they are on this terminal. Pure.

A narrow terminal belongs to the title: columns in which no item of the page has a value are left out there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.cells import cell_len

from inforadar.model.analysis import score_label
from inforadar.model.item import Item
from inforadar.store.items.order import SortKey
from inforadar.store.people.marks import Marks
from inforadar.tui.text import safe
from inforadar.tui.theme import SCORE_COLOURS
from inforadar.views.times import shown_number

WIDE = 100
"""From here on there is room for every column."""
NOTHING = "–"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An item as a line of the list; cells are safe."""

    item: Item
    marks: Marks
    is_new: bool
    """Since the last visit."""
    cells: tuple[str, ...]
    """In the order of `COLUMNS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    name: str
    sort: SortKey | None
    right: bool = False
    widest: int = 99
    widest_narrow: int = 99
    """… on a narrow terminal."""
    can_go: bool = False
    """Left out of a narrow list in which no item has a value."""


COLUMNS = (
    Column(name="#", sort=None, right=True),
    Column(name="Source", sort=SortKey.SOURCE, widest=18, widest_narrow=10),
    Column(name="Topic", sort=SortKey.TOPIC, widest=14, widest_narrow=8),
    Column(name="Title", sort=SortKey.TITLE),
    Column(name="Date", sort=SortKey.DATE, right=True),
    Column(name="±", sort=SortKey.RATING, right=True, can_go=True),
    Column(name="Views", sort=SortKey.VIEWS, right=True, can_go=True),
    Column(name="Cmts", sort=SortKey.COMMENTS, right=True, can_go=True),
    Column(name="Score", sort=SortKey.SCORE, right=True),
)
TITLE = 3
SCORE = 8


def make_row(item: Item, marks: Marks, number: int, *, now: datetime, visited_at: datetime | None) -> Row:
    return Row(
        item=item,
        marks=marks,
        is_new=visited_at is not None and item.created_at > visited_at,
        cells=(
            f"{number}",
            safe(item.source[:200]),
            safe(item.topic[:200]),
            safe((item.title or item.url)[:4000]),
            short_date(item.published_at, now),
            _rating(item.rating),
            _number(item.views),
            _number(item.comments),
            NOTHING if item.score is None else f"{item.score:.2f}",
        ),
    )


def _number(value: float | None) -> str:
    return NOTHING if value is None else shown_number(value)


def _rating(value: float | None) -> str:
    return f"+{shown_number(value)}" if value is not None and value > 0 else _number(value)


def short_date(at: datetime, now: datetime) -> str:
    """`14:02` today, `14 Nov` this year, else `2024-11`; in the reader's own zone."""
    local, today = at.astimezone(), now.astimezone()
    if local.date() == today.date():
        return f"{local:%H:%M}"
    return f"{local.day} {local:%b}" if local.year == today.year else f"{local:%Y-%m}"


def score_colour(score: float | None) -> str:
    """The name of its colour in the themes."""
    return "muted" if score is None else SCORE_COLOURS[score_label(score)]


def column_widths(rows: Sequence[Row], width: int, sort: SortKey) -> tuple[tuple[int, int], ...]:
    """(which column, how wide) of those that are shown, from the left, for `width` cells with a gap after each."""
    gap = gap_of(width)
    shown: list[tuple[int, int]] = []
    for index, column in enumerate(COLUMNS):
        cells = [row.cells[index] for row in rows]
        empty = column.can_go and column.sort is not sort and all(cell == NOTHING for cell in cells)
        if index == TITLE:
            shown.append((index, 0))
        elif width >= WIDE or not empty:
            # With a place for the arrow that shows the order.
            named = cell_len(column.name) + (column.sort is sort)
            widest = column.widest if width >= WIDE else column.widest_narrow
            cell_width = max((cell_len(cell[:100]) for cell in cells), default=0)
            shown.append((index, max(named, min(cell_width, widest))))
    taken = sum(wide + gap for index, wide in shown if index != TITLE)
    title = max(8, width - taken - gap)
    return tuple((index, title if index == TITLE else wide) for index, wide in shown)


def gap_of(width: int) -> int:
    return 2 if width >= WIDE else 1
