"""The live log of a fetch, scrolled by hand or following the tail.

Ten thousand lines a minute are added in batches with one repaint each, and only visible lines are painted. The oldest
lines are dropped when there are too many; the lines in view stay in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inforadar.tui.text import fit, safe
from inforadar.views.times import local

MAX_LINES = 5000
MAX_LABEL_CELLS = 24
MAX_TEXT_CHARACTERS = 1000
MIN_TITLE_CELLS = 12
"""The cells of a title that are always shown, however long the list of changes is."""


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
        background: $background; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0;
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

    def extend(self, lines: Iterable[LogLine]) -> None:
        """Append a batch."""
        new: Sequence[LogLine] = tuple(lines)
        if not new:
            return
        self.lines += new
        dropped = max(0, len(self.lines) - MAX_LINES)
        if dropped:
            del self.lines[:dropped]
        self._label_width = max(
            self._label_width, *(min(MAX_LABEL_CELLS, cell_len(line.label)) for line in new)
        )
        self.virtual_size = Size(self.scrollable_content_region.width, len(self.lines))
        if self.following:
            self.follow()
        elif dropped:
            self._put(self.scroll_y - dropped)
        self.refresh()

    def follow(self) -> None:
        """Scroll to the end and follow it."""
        self._put(self.max_scroll_y)

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
        if self.following:
            self.follow()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = int(self.scroll_y) + y
        if index >= len(self.lines):
            return Strip.blank(width, self.rich_style)
        line = self.lines[index]
        at = f"{local(line.at):%H:%M:%S}"
        text = safe(line.text[:MAX_TEXT_CHARACTERS])
        style = line.style or _SIGNS.get(text[:1], "plain")
        muted = self.get_component_rich_style("log--muted")
        label = fit(safe(line.label[:100]), self._label_width)
        room = max(0, width - len(at) - self._label_width - 4)
        return Strip(
            [
                Segment(f"{at}  {label}  ", muted),
                Segment(fit(_shortened(text, room), room), self.get_component_rich_style(f"log--{style}")),
            ]
        ).adjust_cell_length(width, self.rich_style)


def _shortened(text: str, room: int) -> str:
    """Shorten the title of a changed item, so that the changes stay visible."""
    title, sign, changes = text.rpartition(": ") if text.startswith("~") else (text, "", "")
    length = cell_len(text[: room * 4])
    if not sign or length <= room:
        return text
    return f"{fit(title, max(MIN_TITLE_CELLS, room - cell_len(changes) - 2)).rstrip()}: {changes}"
