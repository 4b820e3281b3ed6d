"""The progress of a run: a bar, indeterminate while items are counted, with text beside it or below it."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from inforadar.tui.fetch.progress import Tally

MIN_BAR_CELLS = 10
NARROW = 60
"""Below this width in cells, the text is below the bar."""
MOVING_CELLS = 12
"""The moving part of the indeterminate bar."""


class ProgressLine(Widget):
    COMPONENT_CLASSES: ClassVar = {"progress--done", "progress--rest", "progress--words"}
    DEFAULT_CSS = """
    ProgressLine { height: auto; width: 1fr; padding: 0 1; }
    ProgressLine > .progress--done { color: $accent; }
    ProgressLine > .progress--rest { color: $panel; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._tally = Tally()
        self._step = 0

    def show(self, tally: Tally) -> None:
        """Update the bar. Called once a frame, which moves the indeterminate bar."""
        self._tally = tally
        self._step += 1
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 2 if width < NARROW else 1

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        is_narrow = width < NARROW
        words = next((words for words in self._tally.forms if cell_len(words) <= width), "")
        text = Segment(
            words if is_narrow else f"   {words}", self.get_component_rich_style("progress--words")
        )
        if y:
            return Strip([text]).adjust_cell_length(width, self.rich_style)
        room = width if is_narrow else max(MIN_BAR_CELLS, width - cell_len(words) - 3)
        bar = self._bar(room)
        return Strip(bar if is_narrow else [*bar, text]).adjust_cell_length(width, self.rich_style)

    def _bar(self, room: int) -> list[Segment]:
        done = self.get_component_rich_style("progress--done")
        rest = self.get_component_rich_style("progress--rest")
        fraction = self._tally.fraction
        if fraction is None:
            start = self._step % (room + MOVING_CELLS) - MOVING_CELLS
            first, last = max(0, start), min(room, start + MOVING_CELLS)
            return [
                Segment("━" * first, rest),
                Segment("━" * max(0, last - first), done),
                Segment("━" * (room - max(first, last)), rest),
            ]
        full, half = divmod(round(fraction * room * 2), 2)
        return [
            Segment("━" * full + "╸" * half, done),
            Segment("━" * (room - full - half), rest),
        ]
