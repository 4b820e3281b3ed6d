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
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inforadar.tui.text import fit, safe

MOST_LINES = 5000
WIDEST_LABEL = 24
LONGEST_TEXT = 1000
LEAST_TITLE = 12
"""Cells of a title that stay, however much there is to say about it."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """As it was told; made safe when it is painted, because most lines never are."""

    at: datetime
    label: str
    text: str
    style: str = ""
    """One of `LogPane.COMPONENT_CLASSES`, without `log--`; by default what the first sign says."""


_SIGNS = {"+": "new", "~": "changed", "!": "bad"}
"""The first sign of a line says what it tells of: something new, something changed, an error."""


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
        """The tail is followed now, or no longer."""

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
            self._put(self.scroll_y - dropped)
        self.refresh()

    def follow(self) -> None:
        """To the end, and on with it."""
        self._put(self.max_scroll_y)

    def move(self, by: int) -> None:
        self._put(self.scroll_y + by)

    def _put(self, y: float) -> None:
        # By force: while the scroll bar is still to be laid out, Textual thinks that there is nothing to scroll.
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
        at = f"{line.at.astimezone():%H:%M:%S}"
        text = safe(line.text[:LONGEST_TEXT])
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
    """Of a change what changed is worth more than the end of the title."""
    title, sign, changes = text.rpartition(": ") if text.startswith("~") else (text, "", "")
    length = cell_len(text[: room * 4])
    if not sign or length <= room:
        return text
    return f"{fit(title, max(LEAST_TITLE, room - cell_len(changes) - 2)).rstrip()}: {changes}"
