"""One line of a screen, with text at its left and right, and click actions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from textual.events import Click
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from inforadar.tui.cells import fit

MAX_LINES = 4
"""Maximum lines of a wrapped sentence."""
GAP_CELLS = 2
"""Cells between the two sides at least."""
MIN_CELLS = 10
"""Nothing is wrapped into lines narrower than this."""


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
    """A title or status line.

    In a title the right side, a warning, gets the room it needs, and text at the left is cut. In a status line nothing
    is cut: a sentence is wrapped, and hints that do not fit beside it have lines of their own. A passing sentence takes
    the place of hints, so that the screen above does not move.
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
        self._resting: tuple[Sequence[Span], Sequence[Span]] | None = None
        """The text shown when the sentence has passed; None if nothing passes."""

    def show(
        self, left: Iterable[Span], right: Iterable[Span] = (), *, resting: Iterable[Span] | None = None
    ) -> None:
        """Show both sides. `resting` is the left side that comes back after a passing sentence."""
        before = self._height(self.size.width)
        self._left, self._right = tuple(left), tuple(right)
        self._resting = (tuple(resting), self._right) if resting is not None else None
        self.refresh(layout=before != self._height(self.size.width))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._height(width)

    def _height(self, width: int) -> int:
        return len(self._rows(width))

    def _rows(self, width: int) -> list[list[Span]]:
        room = width - 2
        if not self._left_first or room < MIN_CELLS:
            return [_title_row(self._left, self._right, max(room, 0))]
        # On a terminal of few lines the hints give way, or nothing else would be seen.
        most = max(1, self.app.size.height // 4)
        if self._resting is None:
            rows = _status_rows(self._left, self._right, room)
            return rows if len(rows) <= most else _passing_rows(self._left, self._right, room, most)
        number = min(most, len(_status_rows(*self._resting, room)))
        return _passing_rows(self._left, self._right, room, number)

    def render_line(self, y: int) -> Strip:
        rows = self._rows(self.size.width)
        segments = [Segment(" ", self.rich_style)]
        segments += [
            Segment(span.text, self.get_component_rich_style(f"line--{span.style}"))
            for span in (rows[y] if y < len(rows) else ())
            if span.text
        ]
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)

    async def on_click(self, event: Click) -> None:
        rows = self._rows(self.size.width)
        end = 1
        for span in rows[event.y] if event.y < len(rows) else ():
            end += cell_len(span.text)
            if event.x < end:
                if span.action:
                    event.stop()
                    await self.screen.run_action(span.action)
                return


def _width(spans: Iterable[Span]) -> int:
    return sum(cell_len(span.text) for span in spans)


def _title_row(left: Sequence[Span], right: Sequence[Span], room: int) -> list[Span]:
    """The right side whole, if there is room for it, and of the left side what fits."""
    kept = list(right)
    while kept and _width(kept) > room:
        kept.pop(0)
    rest = room - _width(kept)
    row: list[Span] = []
    for span in left:
        text = span.text if cell_len(span.text) <= rest else fit(span.text, rest)
        rest -= cell_len(text)
        row.append(Span(text, span.style, span.action))
    return [*row, Span(" " * max(rest, 0)), *kept]


def _status_rows(left: Sequence[Span], right: Sequence[Span], room: int) -> list[list[Span]]:
    """Both sides in one line if they fit, else the right side below."""
    space = room - _width(left) - _width(right)
    if space >= (GAP_CELLS if _width(left) and _width(right) else 0):
        return [[*left, Span(" " * space), *right]]
    return [*_folded(left, room), *_hint_rows(right, room)]


def _passing_rows(left: Sequence[Span], right: Sequence[Span], room: int, number: int) -> list[list[Span]]:
    """The sentence, and as many whole hints as there is room for in `number` lines, the last one first."""
    kept = list(_grouped(right))
    while kept:
        rows = _status_rows(left, [span for group in kept for span in group], room)
        if len(rows) <= number:
            break
        kept.pop(0)
    else:
        rows = _folded(left, room)
    return rows + [[] for _ in range(number - len(rows))]


def _folded(left: Sequence[Span], room: int) -> list[list[Span]]:
    """Wrap the left side; a sentence that needs several lines has one style."""
    if _width(left) <= room:
        return [list(left)] if _width(left) else []
    if any(span.action for span in left):
        return _hint_rows(left, room)
    lines = [""]
    for word in "".join(span.text for span in left).split():
        for part in chop_cells(word, room):
            if lines[-1] and cell_len(lines[-1]) + 1 + cell_len(part) > room:
                lines.append(part)
            else:
                lines[-1] = f"{lines[-1]} {part}".strip()
    style = left[0].style
    return [[Span(line, style)] for line in lines[:MAX_LINES]]


def _hint_rows(right: Sequence[Span], room: int) -> list[list[Span]]:
    """Whole hints, as many in a line as fit."""
    rows: list[list[Span]] = []
    for group in _grouped(right):
        # The spaces after the last hint of a line may be cut.
        if not rows or _width(rows[-1]) + _width(group) - 2 > room:
            rows.append([])
        rows[-1] += group
    return rows


def _grouped(spans: Iterable[Span]) -> Iterator[list[Span]]:
    """Yield the spans of each hint together: a key and its muted label."""
    group: list[Span] = []
    for span in spans:
        if group and span.style != "muted":
            yield group
            group = []
        group.append(span)
    if group:
        yield group
