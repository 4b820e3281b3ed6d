"""The list's columns: their cells and their widths. Pure.

The title comes first: where it would get too narrow, other columns give way, and on a narrow terminal columns without
a value on the page are hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.cells import cell_len

from inforadar.model.analysis import NOT_MEASURED_SHORT, score_label
from inforadar.model.item import Item
from inforadar.store.items.order import SortKey
from inforadar.store.people.marks import Marks
from inforadar.tui.text import safe
from inforadar.tui.theme import SCORE_COLOURS
from inforadar.views.times import local, shown_counter

WIDE = 100
"""The width in cells from which every column is shown."""
NOTHING = "–"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An item as a line of the list. Cells are sanitized."""

    item: Item
    marks: Marks
    is_new: bool
    """Added since the last visit."""
    cells: tuple[str, ...]
    """In the order of `COLUMNS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    name: str
    sort: SortKey | None
    right: bool = False
    max_width: int = 99
    max_width_narrow: int = 99
    """The maximum width on a narrow terminal."""
    is_optional: bool = False
    """Hidden on a narrow terminal if no item has a value."""


COLUMNS = (
    Column(name="#", sort=None, right=True),
    Column(name="Source", sort=SortKey.SOURCE, max_width=18, max_width_narrow=10),
    Column(name="Topic", sort=SortKey.TOPIC, max_width=14, max_width_narrow=8),
    Column(name="Title", sort=SortKey.TITLE),
    Column(name="Date", sort=SortKey.DATE, right=True),
    Column(name="±", sort=SortKey.RATING, right=True, is_optional=True),
    Column(name="Views", sort=SortKey.VIEWS, right=True, is_optional=True),
    Column(name="Cmts", sort=SortKey.COMMENTS, right=True, is_optional=True),
    Column(name="Score", sort=SortKey.SCORE, right=True),
)
NUMBER, SOURCE, TOPIC, TITLE, DATE, RATING, VIEWS, COMMENTS, SCORE = range(len(COLUMNS))
YIELDING = (NUMBER, TOPIC, COMMENTS, VIEWS, RATING, SOURCE, DATE, SCORE)
"""The order in which columns give way to the title. The one that the list is sorted by stays longest."""
MIN_TITLE_CELLS, USUAL_TITLE_CELLS = 30, 45
"""The title's width at 40 and at 80 columns at least; on wider terminals it has half of the line."""


def make_row(item: Item, marks: Marks, number: int, *, now: datetime, visited_at: datetime | None) -> Row:
    return Row(
        item=item,
        marks=marks,
        is_new=visited_at is not None and item.created_at > visited_at,
        cells=(
            f"{number}",
            safe(item.all_sources[:200]),
            safe(item.all_topics[:200]),
            safe((item.title or item.url)[:4000]),
            short_date(item.published_at, now),
            _counter("rating", item.rating),
            _counter("views", item.views),
            _counter("comments", item.comments),
            _score(item),
        ),
    )


def _score(item: Item) -> str:
    if item.score is None:
        return NOT_MEASURED_SHORT if item.score_word else NOTHING
    return f"{item.score:.2f}"


def _counter(name: str, value: float | None) -> str:
    return NOTHING if value is None else shown_counter(name, value)


def short_date(at: datetime, now: datetime) -> str:
    """Format a local date: `14:02` today, `14 Nov` this year, otherwise `2024-11`."""
    there, today = local(at), local(now)
    if there.date() == today.date():
        return f"{there:%H:%M}"
    return f"{there.day} {there:%b}" if there.year == today.year else f"{there:%Y-%m}"


def score_colour(score: float | None) -> str:
    """Return the name of the score's colour in the themes."""
    return "muted" if score is None else SCORE_COLOURS[score_label(score)]


def column_widths(rows: Sequence[Row], width: int, sort: SortKey) -> tuple[tuple[int, int], ...]:
    """Return (column index, width) of the shown columns, left to right, with a gap after each, for `width` cells."""
    shown: list[tuple[int, int]] = []
    for index, column in enumerate(COLUMNS):
        cells = [row.cells[index] for row in rows]
        empty = column.is_optional and column.sort is not sort and all(cell == NOTHING for cell in cells)
        if index == TITLE:
            shown.append((index, 0))
        elif width >= WIDE or not empty:
            # With room for the arrow that shows the sort order.
            named = cell_len(column.name) + (column.sort is sort)
            max_width = column.max_width if width >= WIDE else column.max_width_narrow
            cell_width = max((cell_len(cell[:100]) for cell in cells), default=0)
            shown.append((index, max(named, min(cell_width, max_width))))
    order = sorted(YIELDING, key=lambda index: COLUMNS[index].sort is sort)
    for index in order:
        if _title_width(shown, width) >= wanted_title(width):
            break
        shown = [(other, wide) for other, wide in shown if other != index]
    title = max(8, _title_width(shown, width))
    return tuple((index, title if index == TITLE else wide) for index, wide in shown)


def _title_width(shown: Sequence[tuple[int, int]], width: int) -> int:
    gap = gap_of(width)
    return width - gap - sum(wide + gap for index, wide in shown if index != TITLE)


def wanted_title(width: int) -> int:
    """Return the cells that a title should have in a list of `width` cells."""
    return max(MIN_TITLE_CELLS, min(USUAL_TITLE_CELLS, width * 3 // 5), width // 2)


def gap_of(width: int) -> int:
    return 2 if width >= WIDE else 1
