"""One line of a screen: what stands at its left, what at its right, and what a click on it does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.events import Click
from textual.strip import Strip
from textual.widget import Widget

from inforadar.tui.text import fit


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line. The text must be safe."""

    text: str
    style: str = "plain"
    """One of `Line.COMPONENT_CLASSES`, without `line--`."""
    action: str | None = None
    """Of the screen; run by a click."""


def hint(key: str, label: str, action: str) -> tuple[Span, ...]:
    """`f fetch`, to be read and to be clicked."""
    return Span(key, "key", action), Span(f" {label}  ", "muted", action)


class Line(Widget):
    """The right part has the room it needs, the left one is cut; if even that is not enough, the right goes."""

    STYLES: ClassVar = ("plain", "name", "muted", "key", "good", "warn", "bad")
    COMPONENT_CLASSES: ClassVar = {f"line--{name}" for name in STYLES}
    DEFAULT_CSS = """
    Line { height: 1; width: 1fr; background: $panel; }
    Line > .line--name { text-style: bold; color: $accent; }
    Line > .line--muted { color: $muted; }
    Line > .line--key { text-style: bold; }
    Line > .line--good { color: $success; }
    Line > .line--warn { color: $warning; }
    Line > .line--bad { color: $error; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as Textual names it
        super().__init__(id=id)
        self._left: Sequence[Span] = ()
        self._right: Sequence[Span] = ()

    def show(self, left: Iterable[Span], right: Iterable[Span] = ()) -> None:
        self._left, self._right = tuple(left), tuple(right)
        self.refresh()

    def _laid_out(self) -> list[Span]:
        width = self.size.width - 2
        right = list(self._right)
        left = sum(cell_len(span.text) for span in self._left)
        while right and min(left, width // 2) + sum(cell_len(span.text) for span in right) > width:
            # Hints go from the left: help, the last one, stays longest.
            right.pop(0)
        room = width - sum(cell_len(span.text) for span in right)
        spans: list[Span] = [Span(" ")]
        for span in self._left:
            text = span.text if cell_len(span.text) <= room else fit(span.text, room)
            room -= cell_len(text)
            spans.append(Span(text, span.style, span.action))
        return [*spans, Span(" " * max(room, 0)), *right, Span(" ")]

    def render_line(self, y: int) -> Strip:
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
