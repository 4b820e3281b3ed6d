"""One line of a screen, with text at its left and right, and click actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from textual.events import Click
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from inforadar.tui.text import fit

MAX_LINES = 4
"""Maximum lines of a wrapped sentence."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line. The text must be safe."""

    text: str
    style: str = "plain"
    """One of `Line.COMPONENT_CLASSES`, without `line--`."""
    action: str | None = None
    """The action of the screen or the app (`app.fetch`) that a click runs."""


def hint(key: str, label: str, action: str) -> tuple[Span, ...]:
    """Make a clickable key hint: `f fetch`."""
    return Span(key, "key", action), Span(f" {label}  ", "muted", action)


class Line(Widget):
    """A line whose important side gets the room it needs: the sentence of a status line, the warning of a title.

    On the other side, text at the left is cut, and spans at the right are dropped, the first one first. A sentence
    longer than the line is wrapped.
    """

    STYLES: ClassVar = ("plain", "name", "muted", "key", "good", "warn", "bad")
    COMPONENT_CLASSES: ClassVar = {f"line--{name}" for name in STYLES}
    DEFAULT_CSS = """
    Line { height: auto; width: 1fr; background: $panel; }
    Line > .line--name { text-style: bold; color: $accent; }
    Line > .line--muted { color: $muted; }
    Line > .line--key { text-style: bold; }
    Line > .line--good { color: $success; }
    Line > .line--warn { color: $warning; }
    Line > .line--bad { color: $error; }
    """

    def __init__(self, *, id: str, left_first: bool = True) -> None:  # noqa: A002 - as Textual names it
        super().__init__(id=id)
        self._left_first = left_first
        self._left: Sequence[Span] = ()
        self._right: Sequence[Span] = ()

    def show(self, left: Iterable[Span], right: Iterable[Span] = ()) -> None:
        before = len(self._folded(self.size.width))
        self._left, self._right = tuple(left), tuple(right)
        self.refresh(layout=before != len(self._folded(self.size.width)))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(1, len(self._folded(width)))

    def _folded(self, width: int) -> list[str]:
        """Wrap a sentence that does not fit into one line; empty if it does."""
        text = "".join(span.text for span in self._left)
        room = width - 2
        if not self._left_first or room < 10 or cell_len(text) <= room:
            return []
        lines = [""]
        for word in text.split():
            for part in chop_cells(word, room):
                if lines[-1] and cell_len(lines[-1]) + 1 + cell_len(part) > room:
                    lines.append(part)
                else:
                    lines[-1] = f"{lines[-1]} {part}".strip()
        return lines[:MAX_LINES]

    def _laid_out(self) -> list[Span]:
        width = self.size.width - 2
        right = list(self._right)
        left = sum(cell_len(span.text) for span in self._left) + 2 if self._left_first else 0
        while right and left + sum(cell_len(span.text) for span in right) > width:
            action = right.pop(0).action
            while action and right and right[0].action == action:
                right.pop(0)
        room = width - sum(cell_len(span.text) for span in right)
        spans: list[Span] = [Span(" ")]
        for span in self._left:
            text = span.text if cell_len(span.text) <= room else fit(span.text, room)
            room -= cell_len(text)
            spans.append(Span(text, span.style, span.action))
        return [*spans, Span(" " * max(room, 0)), *right, Span(" ")]

    def render_line(self, y: int) -> Strip:
        if folded := self._folded(self.size.width):
            line = folded[y] if y < len(folded) else ""
            return Strip([Segment(f" {line}", self.rich_style)]).adjust_cell_length(
                self.size.width, self.rich_style
            )
        segments = [
            Segment(span.text, self.get_component_rich_style(f"line--{span.style}"))
            for span in self._laid_out()
            if span.text
        ]
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)

    async def on_click(self, event: Click) -> None:
        end = 0
        for span in self._laid_out():
            end += cell_len(span.text)
            if event.x < end:
                if span.action:
                    event.stop()
                    await self.screen.run_action(span.action)
                return
