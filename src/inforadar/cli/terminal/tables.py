"""Tables on the terminal, and scores in colour. Into a pipe, a table is lines with tabs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from inforadar.cli.terminal.output import print_line
from inforadar.masks import masked
from inforadar.model.analysis import NOT_MEASURED, score_label
from inforadar.tui.text import safe

WIDE_COLUMNS = 120
"""The width of a terminal that has room for whole tables."""


def is_narrow() -> bool:
    """Tell whether the output goes to a terminal that is too narrow for whole tables."""
    console = Console()
    return console.is_terminal and console.width < WIDE_COLUMNS


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    empty: str,
    only_wide: Collection[str] = (),
) -> None:
    """Print a table that fits the terminal, dropping the columns `only_wide` first; with tabs when piped.

    A column's name ends with `>` if it holds numbers, and with `!` if it is never cut. `empty` stands for no rows.
    """
    console = Console(highlight=False, soft_wrap=False)
    left_out = only_wide if is_narrow() else ()
    shown = [index for index, column in enumerate(columns) if column not in left_out]
    cells = [[_cell(row[index]) for index in shown] for row in rows]
    if not cells:
        print_line(empty)
    elif console.is_terminal:
        console.print(_table([columns[index] for index in shown], cells))
    else:
        _print_whole([columns[index] for index in shown], cells)


def _table(columns: Sequence[str], cells: Iterable[Sequence[Text]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(
            name.rstrip(">!"),
            justify="right" if ">" in name else "left",
            overflow="ellipsis",
            no_wrap="!" in name,
        )
    for row in cells:
        table.add_row(*row)
    return table


def _print_whole(columns: Sequence[str], cells: Sequence[Sequence[Text]]) -> None:
    """Print a table for programs: nothing cut, nothing padded, a tab between two cells, which hold none themselves."""
    print("\t".join(name.rstrip(">!") for name in columns))
    for row in cells:
        print("\t".join(cell.plain for cell in row))


def _cell(value: object) -> Text:
    text = value if isinstance(value, Text) else Text(masked(safe("–" if value is None else value)))
    # A cell is cut instead of wrapped; Rich still shrinks the widest columns first.
    text.no_wrap, text.overflow = True, "ellipsis"
    return text


def score_text(score: float | None, *, is_analyzed: bool = True) -> Text:
    """Return a score with its word and colour, never colour alone."""
    if score is None:
        return Text(NOT_MEASURED if is_analyzed else "–", style="dim")
    word = score_label(score)
    return Text(f"{score:.2f} {word}", style=_SCORE_COLOURS[word])


_SCORE_COLOURS = {"neutral": "green", "slanted": "yellow", "loaded": "red"}
