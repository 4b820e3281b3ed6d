"""The command line of the terminal: its words, its editing keys, and what it says of a line it cannot do."""

from __future__ import annotations

import pytest

from inforadar.config import Settings
from inforadar.errors import UsageError
from inforadar.store.database import Database
from inforadar.store.items.order import SortKey
from inforadar.tui.commands.parse import COMMANDS, complete, parse_command, parse_names, parse_sort
from inforadar.tui.memory import MAX_LINES, Memory, add_to_history, load_memory
from inforadar.tui.screens.articles import ArticlesScreen
from inforadar.tui.screens.help import HelpScreen
from inforadar.tui.screens.prompt import PromptScreen
from tests.support.faces.terminal import Terminal, opened


async def command(terminal: Terminal, line: str) -> None:
    await terminal.press("colon")
    await terminal.type(line)
    await terminal.press("enter")


async def test_filters_order_and_marks_are_set_by_commands(terminal: Terminal) -> None:
    await command(terminal, "source habr, many")
    assert "source: Habr, Many" in terminal.title
    await command(terminal, "topic python")
    assert "source: Habr, Many · topic: python" in terminal.title
    await command(terminal, "sort views asc")
    assert "by views ↑" in terminal.status
    await command(terminal, "find number")
    assert "find: number" in terminal.title
    assert "of 41" in terminal.status
    await command(terminal, "show unread")
    assert "· unread" in terminal.status
    await command(terminal, "clear")
    await command(terminal, "show all")
    assert "of 45" in terminal.status
    await command(terminal, "source")
    assert "source" not in terminal.title


async def test_a_line_that_cannot_be_done_stays_and_says_what_is_possible(terminal: Terminal) -> None:
    await command(terminal, "srot views")
    assert "There is no command :srot. Did you mean :sort?" in terminal.text
    assert isinstance(terminal.app.screen, PromptScreen)
    await terminal.press("ctrl+u")
    assert "no command" not in terminal.text
    await terminal.type("source habrr")
    await terminal.press("enter")
    assert "There is no source 'habrr'. Did you mean Habr? There are BBC, Dead" in terminal.text
    await terminal.press("escape")
    assert isinstance(terminal.app.screen, ArticlesScreen)
    assert "source" not in terminal.title


async def test_the_usual_editing_keys_work(terminal: Terminal) -> None:
    await terminal.press("colon")
    await terminal.type("xsort views")
    await terminal.press("ctrl+w")
    await terminal.type("title")
    await terminal.press("home", "delete", "end")
    await terminal.type("z")
    await terminal.press("backspace", "left", "ctrl+e", "ctrl+a", "ctrl+k")
    await terminal.type("so")
    await terminal.press("tab")
    # `sort` and `source`: as far as it is certain, and that is nothing more.
    await terminal.type("r")
    await terminal.press("tab")
    await terminal.type("title")
    await terminal.press("enter")
    assert "by title ↑" in terminal.status


async def test_earlier_lines_come_back_even_on_the_next_visit(
    terminal: Terminal, filled: Database, web_settings: Settings
) -> None:
    await command(terminal, "sort views")
    await command(terminal, "sort title")
    await terminal.press("colon", "up", "up", "down", "up", "enter")
    assert "by views" in terminal.status
    await command(terminal, "quit")
    await terminal.until_left()
    async with opened(web_settings, filled) as later:
        await later.press("colon", "up", "ctrl+p", "enter")
        assert "by views" in later.status


async def test_help_theme_and_feeds_by_command(terminal: Terminal) -> None:
    await command(terminal, "help")
    assert isinstance(terminal.app.screen, HelpScreen)
    await terminal.press("escape")
    await command(terminal, "theme light")
    assert not terminal.app.current_theme.dark
    await command(terminal, "theme")
    assert terminal.app.current_theme.dark
    await command(terminal, "broken")
    assert "Feeds that need you" in terminal.title
    await command(terminal, "feeds")
    assert terminal.title.strip() == "Info Radar · Feeds"


async def test_commands_work_from_the_reading_view_and_lead_back_to_the_list(terminal: Terminal) -> None:
    await terminal.press("enter")
    await command(terminal, "source bbc")
    assert isinstance(terminal.app.screen, ArticlesScreen)
    assert "source: BBC" in terminal.title


def test_a_beginning_is_enough_if_only_one_command_has_it() -> None:
    assert parse_command("sor views")[0].name == "sort"
    assert parse_command(" :Q ")[0].name == "quit"
    with pytest.raises(UsageError, match=r":s could be :source, :show, :sort, .* or :stories\."):
        parse_command("s")
    with pytest.raises(UsageError, match="There are fetch, source"):
        parse_command("\x1b[31mboo")


def test_completion_goes_as_far_as_it_is_certain() -> None:
    assert complete("fe") == "fe"
    assert complete("so") == "so"
    assert complete("fet") == "fetch "
    assert complete("imp") == "import "
    assert complete("zz") == "zz"
    assert all(complete(command.name[:-1]).startswith(command.name[:-1]) for command in COMMANDS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("views", (SortKey.VIEWS, True)),
        ("title", (SortKey.TITLE, False)),
        ("title desc", (SortKey.TITLE, True)),
        ("asc", (SortKey.DATE, False)),
        ("desc rating", (SortKey.RATING, True)),
    ],
)
def test_sorting_is_said_in_any_order(text: str, expected: tuple[SortKey, bool]) -> None:
    assert parse_sort(text, (SortKey.DATE, True)) == expected


def test_wrong_columns_and_names_are_answered_with_the_right_ones() -> None:
    with pytest.raises(UsageError, match=r"'colour' is no column. Sort by source, topic, .* or score"):
        parse_sort("colour", (SortKey.DATE, True))
    with pytest.raises(UsageError, match=r"There are n0, .*, n7 and 12 more"):
        parse_names("zzz", "topic", [f"n{number}" for number in range(20)])


def test_a_memory_that_cannot_be_read_is_no_memory(tmp_path: pytest.TempPathFactory) -> None:
    path = tmp_path / "terminal.json"  # type: ignore[operator]
    for content in (b"", b"\xff", b"[]", b'{"visited_at": "2026-01-01T00:00:00"}', b'{"commands": 3}'):
        path.write_bytes(content)
        assert load_memory(path) == Memory()


def test_history_has_each_line_once_and_an_end() -> None:
    lines: tuple[str, ...] = ()
    for number in range(MAX_LINES + 50):
        lines = add_to_history(lines, f"line {number}")
    lines = add_to_history(lines, "line 100")
    assert len(lines) == MAX_LINES
    assert lines[-1] == "line 100"
    assert lines.count("line 100") == 1
