"""Status lines, progress and the log of a fetch on narrow terminals: nothing is cut."""

from __future__ import annotations

import pytest

from inforadar.tui.fetch.progress import Tally
from inforadar.tui.widgets.line import Span, _passing_rows, _status_rows, hint
from inforadar.tui.widgets.log_pane import wrapped

HINTS = (
    *hint("f", "fetch", "a"),
    *hint("F", "feeds", "b"),
    *hint("W", "worker off", "c"),
    *hint("?", "help", "d"),
)


def texts(rows: list[list[Span]]) -> list[str]:
    return ["".join(span.text for span in row).rstrip() for row in rows]


def test_hints_that_do_not_fit_beside_the_text_have_lines_of_their_own() -> None:
    left = [Span("1–10 of 41 · by date ↓")]
    (row,) = texts(_status_rows(left, HINTS, 78))
    assert row.startswith("1–10 of 41 · by date ↓  ")
    assert row.endswith("  f fetch  F feeds  W worker off  ? help")
    assert texts(_status_rows(left, HINTS, 38)) == [
        "1–10 of 41 · by date ↓",
        "f fetch  F feeds  W worker off  ? help",
    ]
    assert texts(_status_rows(left, HINTS, 20)) == [
        "1–10 of 41 · by date",
        "↓",
        "f fetch  F feeds",
        "W worker off  ? help",
    ]


def test_a_passing_sentence_takes_the_place_of_whole_hints_and_no_line_more() -> None:
    said = [Span("Marked as read, and something more.")]
    (row,) = texts(_passing_rows(said, HINTS, 60, 1))
    assert row.split("  ")[0] == said[0].text
    assert row.endswith("  W worker off  ? help")
    assert "feeds" not in row
    assert texts(_passing_rows(said, HINTS, 36, 1)) == ["Marked as read, and something more."]
    assert texts(_passing_rows(said, HINTS, 36, 3))[0] == "Marked as read, and something more."
    assert len(_passing_rows(said, HINTS, 36, 3)) == 3


@pytest.mark.parametrize(
    "tally",
    [Tally(begun=True, found=12_345, pages=1_234), Tally(begun=True, found=512, done=214, counting=False)],
)
def test_progress_has_a_form_for_every_width(tally: Tally) -> None:
    forms = tally.forms
    assert [len(form) for form in forms] == sorted((len(form) for form in forms), reverse=True)
    assert len(forms[-1]) <= 28


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a short line", ["a short", "line"]),
        ("x" * 20, ["x" * 8, "x" * 8, "x" * 4]),
        ("新闻新闻新闻", ["新闻新闻", "新闻"]),
        ("", [""]),
    ],
)
def test_lines_are_wrapped_at_spaces_and_long_words_broken(text: str, rows: list[str]) -> None:
    assert wrapped(text, 8) == rows
