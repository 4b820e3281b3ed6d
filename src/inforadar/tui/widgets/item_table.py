"""The table of articles: one page, with exactly as many lines as fit.

A table with all rows would have to load them; this one knows only its page and repaints only changed lines. So it is
as fast with a million items as with ten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.events import Click, MouseScrollDown, MouseScrollUp, Resize
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from inforadar.model.ids import ItemId
from inforadar.store.items.order import SortKey
from inforadar.tui.cells import fit
from inforadar.tui.list.columns import COLUMNS, SCORE, TITLE, Row, column_widths, gap_of, score_colour

HEAD_LINES = 1
"""Lines above the first item."""
EDGE_CELLS = 2
"""Cells before the first column: the cursor's bar, and the star or the sign of a selected article."""


class ItemTable(Widget, can_focus=True):
    """Shows rows; sends messages for mouse actions and when the number of lines that fit changes."""

    COMPONENT_CLASSES: ClassVar = {
        "table--head",
        "table--sorted",
        "table--cursor",
        "table--bar",
        "table--muted",
        "table--success",
        "table--warning",
        "table--error",
    }
    DEFAULT_CSS = """
    ItemTable { height: 1fr; width: 1fr; }
    ItemTable > .table--head { color: $muted; }
    ItemTable > .table--sorted { color: $accent; }
    ItemTable > .table--cursor { background: $cursor-line; }
    ItemTable > .table--bar { color: $accent; background: $cursor-line; }
    ItemTable > .table--muted { color: $muted; }
    ItemTable > .table--success { color: $success; }
    ItemTable > .table--warning { color: $warning; }
    ItemTable > .table--error { color: $error; }
    """

    class RoomChanged(Message):
        """The number of lines that fit has changed."""

    class Moved(Message):
        """The wheel was turned one line up (-1) or down (1)."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    class Opened(Message):
        """The item under the cursor was clicked."""

    class SortAsked(Message):
        """The head of a column was clicked."""

        def __init__(self, sort: SortKey) -> None:
            super().__init__()
            self.sort = sort

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Row] = ()
        self._sort, self._descending = SortKey.DATE, True
        self._widths: tuple[tuple[int, int], ...] = ()
        self.cursor = 0
        self.selected: dict[ItemId, Row] = {}
        """The articles that the next action is for, also on other pages."""
        self.message = ""
        """Shown in place of the items if there are none."""

    @property
    def room(self) -> int:
        """The number of items that fit."""
        return max(1, self.size.height - HEAD_LINES)

    @property
    def current(self) -> Row | None:
        return self._rows[self.cursor] if self.cursor < len(self._rows) else None

    @property
    def chosen(self) -> list[Row]:
        """The selected articles; if there are none, the one under the cursor."""
        return list(self.selected.values()) or [row for row in (self.current,) if row]

    def select(self) -> None:
        """Select the article under the cursor, or not any more."""
        if row := self.current:
            if self.selected.pop(row.item.id, None) is None:
                self.selected[row.item.id] = row
            self.refresh()

    def show(self, rows: Sequence[Row], sort: SortKey, *, descending: bool, message: str = "") -> None:
        self._rows, self._sort, self._descending, self.message = rows, sort, descending, message
        self.cursor = max(0, min(self.cursor, len(rows) - 1))
        self._lay_out()
        self.refresh()

    def replace(self, row: Row) -> None:
        """Update the row of a changed item."""
        self._rows = [row if row.item.id == old.item.id else old for old in self._rows]
        if row.item.id in self.selected:
            self.selected[row.item.id] = row
        self.refresh()

    def move_to(self, index: int) -> None:
        """Move the cursor; repaint only the two lines that change."""
        index = max(0, min(index, len(self._rows) - 1))
        lines = [Region(0, HEAD_LINES + at, self.size.width, 1) for at in (self.cursor, index)]
        self.cursor = index
        self.refresh(*lines)

    def _lay_out(self) -> None:
        self._widths = column_widths(self._rows, self.size.width - EDGE_CELLS, self._sort)

    def on_resize(self, event: Resize) -> None:
        self._lay_out()
        self.post_message(self.RoomChanged())

    def render_line(self, y: int) -> Strip:
        if y < HEAD_LINES:
            return self._render_head()
        index = y - HEAD_LINES
        if not self._rows and index == 1 and self.message:
            style = self.get_component_rich_style("table--muted")
            return Strip([Segment("  " + fit(self.message, self.size.width - 2), style)])
        if index >= len(self._rows):
            return Strip.blank(self.size.width, self.rich_style)
        return self._render_row(self._rows[index], is_current=index == self.cursor)

    def _render_head(self) -> Strip:
        gap = " " * gap_of(self.size.width - EDGE_CELLS)
        head = self.get_component_rich_style("table--head")
        segments = [Segment(" " * EDGE_CELLS, head)]
        for index, width in self._widths:
            column = COLUMNS[index]
            sorted_here = column.sort is self._sort
            arrow = ("↓" if self._descending else "↑") if sorted_here else ""
            style = self.get_component_rich_style("table--sorted") if sorted_here else head
            segments.append(Segment(fit(column.name + arrow, width, right=column.right) + gap, style))
        return Strip(segments).adjust_cell_length(self.size.width, head)

    def _render_row(self, row: Row, *, is_current: bool) -> Strip:
        gap = " " * gap_of(self.size.width - EDGE_CELLS)
        base = self.get_component_rich_style("table--cursor") if is_current else self.rich_style
        muted = self._coloured(base, "muted")
        title = muted if row.marks.read_at else base + Style(bold=row.is_new)
        bar = self.get_component_rich_style("table--bar") if is_current else base
        star = self._coloured(base, "warning")
        is_selected = row.item.id in self.selected
        sign = "+" if is_selected else "★" if row.marks.starred_at else " "
        segments = [
            Segment("▌" if is_current else " ", bar),
            Segment(sign, self._coloured(base, "success") if is_selected else star),
        ]
        for index, width in self._widths:
            cell = fit(row.cells[index], width, right=COLUMNS[index].right) + gap
            style = muted
            if index == TITLE:
                style = title
            elif index == SCORE:
                style = self._coloured(base, score_colour(row.item.score))
            segments.append(Segment(cell, style))
        return Strip(segments).adjust_cell_length(self.size.width, base)

    def _coloured(self, base: Style, name: str) -> Style:
        return base + Style(color=self.get_component_rich_style(f"table--{name}").color)

    def on_click(self, event: Click) -> None:
        if event.y < HEAD_LINES:
            if (sort := self._column_at(event.x)) is not None:
                self.post_message(self.SortAsked(sort))
            return
        index = event.y - HEAD_LINES
        if index >= len(self._rows):
            return
        if index == self.cursor or event.chain > 1:
            self.move_to(index)
            self.post_message(self.Opened())
        else:
            self.move_to(index)

    def _column_at(self, x: int) -> SortKey | None:
        end, gap = EDGE_CELLS, gap_of(self.size.width - EDGE_CELLS)
        for index, width in self._widths:
            end += width + gap
            if x < end:
                return COLUMNS[index].sort
        return None

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        event.stop()
        self.post_message(self.Moved(1))

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        event.stop()
        self.post_message(self.Moved(-1))
