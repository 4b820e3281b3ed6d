"""The log of a fetch: live lines, scrolled by hand or following the tail.

Ten thousand lines in a minute are written in batches, one repaint for each, and only what is in sight is
painted. The oldest lines go when there are too many; what the reader looks at stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inforadar.tui.text import fit, safe

MOST_LINES = 5000
WIDEST_LABEL = 24
LONGEST_TEXT = 1000


@dataclass(frozen=True, slots=True)
class LogLine:
    """Texts are safe."""

    at: str
    label: str
    text: str
    style: str = "plain"


_SIGNS = {"+": "new", "~": "changed", "!": "bad"}


def log_line(at: datetime, label: str, text: str, style: str | None = None) -> LogLine:
    """In the reader's zone; the first sign of a line says what it tells of: `+` new, `~` changed, `!` an error."""
    shown = safe(text[:LONGEST_TEXT])
    return LogLine(
        f"{at.astimezone():%H:%M:%S}", safe(label[:100]), shown, style or _SIGNS.get(shown[:1], "plain")
    )


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

    def __init__(self) -> None:
        super().__init__()
        self.border_title = "Log"
        self.lines: list[LogLine] = []
        self.following = True
        self._label_width = 8

    def extend(self, lines: Iterable[LogLine]) -> None:
        """Appends a batch."""
        new: Sequence[LogLine] = tuple(lines)
        if not new:
            return
        self.lines += new
        dropped = max(0, len(self.lines) - MOST_LINES)
        if dropped:
            del self.lines[:dropped]
        self._label_width = max(self._label_width, *(min(WIDEST_LABEL, cell_len(line.label)) for line in new))
        self.virtual_size = Size(self.scrollable_content_region.width, len(self.lines))
        if self.following:
            self.follow()
        elif dropped:
            self.scroll_to(y=max(0, self.scroll_y - dropped), animate=False, immediate=True)
        self.refresh()

    def follow(self) -> None:
        """To the end, and on with it."""
        self.following = True
        self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True)

    def move(self, by: int) -> None:
        self.scroll_to(y=max(0, min(self.scroll_y + by, self.max_scroll_y)), animate=False, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.following = new_value >= self.max_scroll_y

    def on_resize(self) -> None:
        if self.following:
            self.follow()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = int(self.scroll_y) + y
        if index >= len(self.lines):
            return Strip.blank(width, self.rich_style)
        line = self.lines[index]
        muted = self.get_component_rich_style("log--muted")
        room = max(0, width - len(line.at) - self._label_width - 4)
        return Strip(
            [
                Segment(f"{line.at}  ", muted),
                Segment(fit(line.label, self._label_width) + "  ", muted),
                Segment(fit(line.text, room), self.get_component_rich_style(f"log--{line.style}")),
            ]
        ).adjust_cell_length(width, self.rich_style)
