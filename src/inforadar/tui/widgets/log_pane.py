"""The live log of a fetch, scrolled by hand or following the tail. Long lines are wrapped.

Ten thousand lines a minute are added in batches with one repaint each, and only visible rows are painted. The oldest
lines are dropped when there are too many; the lines in view stay in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inforadar.tui.cells import fit
from inforadar.tui.text import safe
from inforadar.views.times import local

MAX_LINES = 5000
MAX_LABEL_CELLS = 24
MAX_TEXT_CHARACTERS = 1000
MAX_ROWS = 6
"""Maximum rows of one line; the rest is cut off."""
NARROW = 60
"""Below this width in cells, a line has no time, and its label is part of the text."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A raw line; sanitized when painted, because most lines never are."""

    at: datetime
    label: str
    text: str
    style: str = ""
    """One of `LogPane.COMPONENT_CLASSES`, without `log--`; by default chosen by the first character."""


_SIGNS = {"+": "new", "~": "changed", "!": "bad"}
"""{first character of a line: its style}: new, changed or an error."""


class LogPane(ScrollView, can_focus=False):
    COMPONENT_CLASSES: ClassVar = {
        "log--muted",
        "log--plain",
        "log--new",
        "log--changed",
        "log--bad",
        "log--good",
        "log--strong",
    }
    DEFAULT_CSS = """
    LogPane {
        height: 1fr; border: round $success; border-title-color: $success; padding: 0 1;
        background: $background; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; scrollbar-gutter: stable;
    }
    LogPane > .log--muted { color: $muted; }
    LogPane > .log--new { color: $success; }
    LogPane > .log--changed { color: $accent; }
    LogPane > .log--bad { color: $error; }
    LogPane > .log--good { color: $success; text-style: bold; }
    LogPane > .log--strong { text-style: bold; }
    """

    class FollowChanged(Message):
        """Following the tail was switched on or off."""

    def __init__(self) -> None:
        super().__init__()
        self.border_title = "Log"
        self.lines: list[LogLine] = []
        self.following = True
        self._label_width = 8
        self._rows: list[tuple[int, str]] = []
        """(number of the line, its part) for each row."""
        self._dropped = 0
        """Number of lines dropped so far; line numbers count from the very first line."""
        self._laid_out_for = (0, 0)
        """The width and label width that the rows were made for."""

    def extend(self, lines: Iterable[LogLine]) -> None:
        """Append a batch."""
        new: Sequence[LogLine] = tuple(lines)
        if not new:
            return
        start = self._dropped + len(self.lines)
        self.lines += new
        dropped = max(0, len(self.lines) - MAX_LINES)
        if dropped:
            del self.lines[:dropped]
            self._dropped += dropped
        self._label_width = max(
            self._label_width, *(min(MAX_LABEL_CELLS, cell_len(line.label)) for line in new)
        )
        if self._laid_out_for == (self._width, self._label_width):
            gone = next((at for at, (number, _) in enumerate(self._rows) if number >= self._dropped), None)
            gone = len(self._rows) if gone is None else gone
            del self._rows[:gone]
            self._add_rows(max(start, self._dropped))
            self._fit(gone)
        else:
            self._lay_out()
        self.refresh()

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width

    def _lay_out(self) -> None:
        """Wrap all lines anew; the line at the top stays there."""
        top = self._rows[int(self.scroll_y)][0] if int(self.scroll_y) < len(self._rows) else 0
        self._laid_out_for = (self._width, self._label_width)
        self._rows.clear()
        self._add_rows(self._dropped)
        at = next((at for at, (number, _) in enumerate(self._rows) if number >= top), 0)
        self._fit(int(self.scroll_y) - at)

    def _add_rows(self, start: int) -> None:
        """Add the rows of the lines from number `start` on."""
        for number in range(start, self._dropped + len(self.lines)):
            line = self.lines[number - self._dropped]
            self._rows += [(number, part) for part in self._parts(line)]

    def _parts(self, line: LogLine) -> list[str]:
        text = safe(line.text[:MAX_TEXT_CHARACTERS])
        room = self._width - self._indent
        if room < 1:
            return [""]
        if self._is_narrow and line.label:
            text = f"{safe(line.label[:100])}  {text}"
        if cell_len(text) <= room:
            return [text]
        parts = wrapped(text, room)
        if len(parts) > MAX_ROWS:
            parts = [*parts[: MAX_ROWS - 1], fit(f"{parts[MAX_ROWS - 1]} …", room)]
        return parts

    @property
    def _is_narrow(self) -> bool:
        return self._width < NARROW

    @property
    def _indent(self) -> int:
        """Cells before the text: time and label; none on a narrow terminal."""
        return 0 if self._is_narrow else 8 + 2 + self._label_width + 2

    def _fit(self, gone: int) -> None:
        """Update the scrollable height after `gone` rows above the view have gone."""
        self.virtual_size = Size(self._width, len(self._rows))
        if self.following:
            self.follow()
        elif gone:
            self._put(self.scroll_y - gone)

    def follow(self) -> None:
        """Scroll to the end and follow it."""
        self._put(self.max_scroll_y)

    def top(self) -> None:
        """Scroll to the beginning."""
        self._put(0)

    def move(self, by: int) -> None:
        self._put(self.scroll_y + by)

    def _put(self, y: float) -> None:
        # Forced: before the scroll bar is laid out, Textual assumes there is nothing to scroll.
        within = max(0, min(y, self.max_scroll_y))
        self.scroll_to(y=within, animate=False, immediate=True, force=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        following = new_value >= self.max_scroll_y
        if following != self.following:
            self.following = following
            self.post_message(self.FollowChanged())

    def on_resize(self) -> None:
        if self._laid_out_for != (self._width, self._label_width):
            self._lay_out()
        elif self.following:
            self.follow()

    def render_line(self, y: int) -> Strip:
        index = int(self.scroll_y) + y
        if index >= len(self._rows):
            return Strip.blank(self._width, self.rich_style)
        number, part = self._rows[index]
        line = self.lines[number - self._dropped]
        style = line.style or _SIGNS.get(line.text.lstrip()[:1], "plain")
        is_first = index == 0 or self._rows[index - 1][0] != number
        return Strip(
            [
                Segment(self._prefix(line, is_first=is_first), self.get_component_rich_style("log--muted")),
                Segment(part, self.get_component_rich_style(f"log--{style}")),
            ]
        ).adjust_cell_length(self._width, self.rich_style)

    def _prefix(self, line: LogLine, *, is_first: bool) -> str:
        if self._is_narrow or not is_first:
            return " " * self._indent
        return f"{local(line.at):%H:%M:%S}  {fit(safe(line.label[:100]), self._label_width)}  "


def wrapped(text: str, room: int) -> list[str]:
    """Wrap at spaces; a word that is longer than a row is broken."""
    rows: list[str] = []
    row = ""
    for word in text.split(" "):
        joined = f"{row} {word}" if row else word
        if cell_len(joined) <= room:
            row = joined
            continue
        if row:
            rows.append(row)
        *full, row = chop_cells(word, room) or [""]
        rows += full
    return [*rows, row]
