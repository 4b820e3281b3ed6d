"""The progress of a run: a bar, indeterminate while items are counted, with text beside it."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from inforadar.tui.fetch.progress import Tally

MIN_BAR_CELLS = 10
MOVING_CELLS = 12
"""The moving part of the indeterminate bar."""


class ProgressLine(Widget):
    COMPONENT_CLASSES: ClassVar = {"progress--done", "progress--rest", "progress--words"}
    DEFAULT_CSS = """
    ProgressLine { height: 1; width: 1fr; padding: 0 1; }
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

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        words = self._tally.words
        room = max(MIN_BAR_CELLS, width - cell_len(words) - 3)
        done = self.get_component_rich_style("progress--done")
        rest = self.get_component_rich_style("progress--rest")
        fraction = self._tally.fraction
        if fraction is None:
            start = self._step % (room + MOVING_CELLS) - MOVING_CELLS
            first, last = max(0, start), min(room, start + MOVING_CELLS)
            bar = [
                Segment("━" * first, rest),
                Segment("━" * max(0, last - first), done),
                Segment("━" * (room - max(first, last)), rest),
            ]
        else:
            halves = round(fraction * room * 2)
            full, half = divmod(halves, 2)
            bar = [
                Segment("━" * full + "╸" * half, done),
                Segment("━" * (room - full - half), rest),
            ]
        text = Segment(f"   {words}", self.get_component_rich_style("progress--words"))
        return Strip([*bar, text]).adjust_cell_length(width, self.rich_style)
