"""Scores as bars: name, bar, number, label and reason. Colour is never the only signal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from inforadar.model.analysis import Analysis, Score, ScoreName
from inforadar.tui.text import safe
from inforadar.tui.theme import SCORE_COLOURS

BAR_LENGTH = 10
LABEL_LENGTH = 16
ORDER = (*(name for name in ScoreName if name is not ScoreName.OVERALL), ScoreName.OVERALL)


def score_bar(score: Score, colours: Mapping[str, str]) -> Text:
    """Draw a score: `████░░░░░░ 0.41 slanted`."""
    if score.value is None:
        return Text(f"{'░' * BAR_LENGTH} {score.label}", style=colours["muted"])
    filled = round(score.value * BAR_LENGTH)
    colour = colours[SCORE_COLOURS[score.label]]
    bar = Text("█" * filled, style=colour)
    bar.append("░" * (BAR_LENGTH - filled), style=colours["muted"])
    bar.append(f" {score.value:.2f} {score.label}", style=colour)
    return bar


def score_lines(
    analysis: Analysis, colours: Mapping[str, str], *, narrow: bool, in_full: bool
) -> RenderableType:
    """All scores with their reasons, one line each unless `in_full`.

    With `narrow`, each reason is below its bar.
    """
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=not in_full, overflow="ellipsis", ratio=1)
    stacked: list[RenderableType] = []
    for name in ORDER:
        score = analysis.score(name)
        label = Text(name.value.replace("_", " "), style="bold" if name is ScoreName.OVERALL else "")
        reason = Text(safe(score.reason[:2000]), style=colours["muted"])
        if narrow:
            label.pad_right(LABEL_LENGTH - len(label))
            stacked.append(Text.assemble(label, score_bar(score, colours)))
            if reason:
                stacked.append(Padding(reason, (0, 0, 0, 2)))
        else:
            table.add_row(label, score_bar(score, colours), reason)
    return Group(*stacked) if narrow else table
