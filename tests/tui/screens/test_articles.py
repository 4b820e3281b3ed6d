"""The list of articles in the terminal: every key, the mouse, what it looks like."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from inforadar.config import Settings
from inforadar.model.person import FIRST_PERSON
from inforadar.store.database import Database
from inforadar.store.people.marks import NO_MARKS, Marks, load_marks
from inforadar.tui.screens.articles import ArticlesScreen
from inforadar.tui.screens.feeds import FeedsScreen
from inforadar.tui.screens.help import HelpScreen
from inforadar.tui.screens.reading import ReadingScreen
from inforadar.tui.widgets.item_table import ItemTable
from inforadar.urls import url_hash
from tests.support.faces.terminal import CYRILLIC, FIRST, LOADED, Terminal, assert_snapshot, opened


async def marks_of(database: Database, url: str) -> Marks:
    key = url_hash(url)
    return (await database.read(load_marks, FIRST_PERSON, [key])).get(key, NO_MARKS)


def test_the_list_looks_as_it_was_approved_at_80_columns(terminal: Terminal) -> None:
    assert_snapshot(terminal, "list-80x24")


async def test_a_wide_terminal_shows_every_column(filled: Database, web_settings: Settings) -> None:
    async with opened(web_settings, filled, size=(140, 30)) as wide:
        assert_snapshot(wide, "list-140x30")


async def test_j_and_k_and_the_arrows_move_over_the_ends_of_pages(terminal: Terminal) -> None:
    assert "How we cut" in terminal.current
    await terminal.press("j")
    assert "Minister" in terminal.current
    await terminal.press("down", "k", "up")
    assert "How we cut" in terminal.current
    await terminal.press("k")
    assert "How we cut" in terminal.current
    assert "1–21 of 45" in terminal.status
    await terminal.press(*["j"] * 21)
    assert "22–42 of 45" in terminal.status
    assert "Number 17" in terminal.current
    await terminal.press("k")
    assert "Number 16" in terminal.current


@pytest.mark.parametrize(
    ("forward", "back"), [("space", "b"), ("pagedown", "pageup"), ("l", "h"), ("right", "left")]
)
async def test_pages_are_turned_and_end_at_both_ends(terminal: Terminal, forward: str, back: str) -> None:
    await terminal.press(forward)
    assert "22–42 of 45" in terminal.status
    await terminal.press(forward, forward)
    assert "43–45 of 45" in terminal.status
    await terminal.press(back, back, back)
    assert "1–21 of 45" in terminal.status


async def test_g_and_end_go_to_the_first_and_the_last_article(terminal: Terminal) -> None:
    await terminal.press("G")
    assert "43–45 of 45" in terminal.status
    assert "Number 40" in terminal.current
    await terminal.press("b")
    assert "22–42 of 45" in terminal.status
    await terminal.press("g")
    assert "How we cut" in terminal.current
    await terminal.press("end", "home")
    assert "1–21 of 45" in terminal.status


async def test_the_order_goes_from_column_to_column_and_round(terminal: Terminal) -> None:
    await terminal.press("greater_than_sign")
    assert "by rating ↓" in terminal.status
    await terminal.press("greater_than_sign")
    assert "by views ↓" in terminal.status
    assert "How we cut" in terminal.lines[2]
    assert "Асинхронность" in terminal.lines[3]
    await terminal.press("r")
    assert "by views ↑" in terminal.status
    assert "Асинхронность" in terminal.lines[2]
    assert "How we cut" in terminal.lines[3]
    await terminal.press("less_than_sign", "less_than_sign", "less_than_sign")
    assert "by title ↑" in terminal.status
    assert "How we cut" in terminal.lines[2]


async def test_marks_are_stored_by_the_url_and_seen_at_once(terminal: Terminal, filled: Database) -> None:
    await terminal.press("asterisk", "m")
    assert "★" in terminal.current
    marks = await marks_of(filled, FIRST)
    assert marks.starred_at
    assert marks.read_at
    await terminal.press("m", "asterisk")
    assert "★" not in terminal.current
    assert await marks_of(filled, FIRST) == NO_MARKS


async def test_what_is_archived_leaves_the_list_and_can_come_back(
    terminal: Terminal, filled: Database
) -> None:
    await terminal.press("a")
    assert "Minister" in terminal.current
    assert terminal.status.startswith(" Archived. v shows the archive.")
    await terminal.press("k")
    assert "of 44" in terminal.status
    await terminal.press("v", "v", "v")
    assert "1–1 of 1 · by date ↓ · archived" in terminal.status
    assert "How we cut" in terminal.current
    await terminal.press("a")
    assert await marks_of(filled, FIRST) == NO_MARKS
    assert "Nothing archived here" in terminal.text


async def test_v_shows_unread_then_starred(terminal: Terminal) -> None:
    await terminal.press("m", "v")
    assert "1–21 of 44 · by date ↓ · unread" in terminal.status
    await terminal.press("asterisk", "v")
    assert "1–1 of 1 · by date ↓ · starred" in terminal.status
    assert "Minister" in terminal.current


async def test_sources_and_topics_filter_the_list_and_stand_in_the_title(terminal: Terminal) -> None:
    await terminal.press("s", "space", "j", "j", "x")
    assert_snapshot(terminal, "sources-80x24")
    await terminal.press("enter")
    assert terminal.title.startswith(" Info Radar · Articles    source: BBC, Habr")
    assert "1–4 of 4" in terminal.status
    await terminal.press("t")
    # Topics of these two sources alone.
    assert "python" in terminal.text
    assert "rust" not in terminal.text
    await terminal.press("space", "enter")
    assert "source: BBC, Habr · topic: python" in terminal.title
    assert "1–2 of 2" in terminal.status
    # A source that has no such topic takes the topic away.
    await terminal.press("s", "j", "j", "space", "enter")
    assert "source: BBC " in terminal.title + " "
    assert "topic" not in terminal.title
    await terminal.press("escape")
    assert terminal.title.split() == ["Info", "Radar", "·", "Articles", "1", "feed", "needs", "you"]


async def test_choosing_can_be_narrowed_and_left_as_it_was(terminal: Terminal) -> None:
    await terminal.press("s", "slash")
    await terminal.type("ma")
    assert "Habr" not in "".join(line[10:70] for line in terminal.lines[6:18] if "[ ]" in line)
    await terminal.press("enter", "a", "enter")
    assert "source: Many" in terminal.title
    await terminal.press("s", "k", "space", "escape")
    assert "source: Many" in terminal.title


async def test_slash_finds_words_of_any_script_and_escape_clears(terminal: Terminal) -> None:
    await terminal.press("slash")
    await terminal.type("асинхронность")
    await terminal.press("enter")
    assert "find: асинхронность" in terminal.title
    assert "1–1 of 1" in terminal.status
    await terminal.press("escape")
    assert "of 45" in terminal.status
    await terminal.press("slash")
    await terminal.type("nowhere at all")
    await terminal.press("enter")
    assert "Nothing has these words. Esc clears the search." in terminal.text
    # The line is there to be corrected, and earlier searches are remembered.
    await terminal.press("slash", "up", "up", "enter")
    assert "find: асинхронность" in terminal.title


async def test_enter_reads_and_comes_back_to_the_same_place(terminal: Terminal, filled: Database) -> None:
    await terminal.press("j", "enter")
    assert isinstance(terminal.app.screen, ReadingScreen)
    assert "Minister SLAMS" in terminal.text
    await terminal.press("escape")
    assert "Minister" in terminal.current
    assert (await marks_of(filled, LOADED)).read_at


async def test_o_opens_the_browser(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = tmp_path / "asked"
    script = tmp_path / "browser.py"
    script.write_text(f"import sys\nopen({str(asked)!r}, 'w').write(sys.argv[1])\n", "utf-8")
    import webbrowser  # noqa: PLC0415

    monkeypatch.setattr(webbrowser, "_tryorder", None)
    monkeypatch.setenv("BROWSER", f"{sys.executable} {script} %s")
    await terminal.press("j", "j", "o")
    assert asked.read_text("utf-8") == CYRILLIC
    assert "Back from the browser." in terminal.status


async def test_the_feeds_that_need_somebody_are_counted_shown_and_revived(terminal: Terminal) -> None:
    assert terminal.title.endswith("1 feed needs you")
    await terminal.press("exclamation_mark")
    assert isinstance(terminal.app.screen, FeedsScreen)
    assert "dead.example answered 404. Suspended." in terminal.text
    await terminal.press("r")
    assert "Dead is due again." in terminal.status
    await terminal.press("escape")
    assert "needs you" not in terminal.title


async def test_question_mark_describes_every_key_and_command(terminal: Terminal) -> None:
    await terminal.press("question_mark")
    assert isinstance(terminal.app.screen, HelpScreen)
    assert "Help · Articles" in terminal.text
    await terminal.press(*["j"] * 40)
    assert ":sort COLUMN [asc|desc]" in terminal.text
    await terminal.press(*["j"] * 30)
    assert "not measured in this language" in terminal.text
    await terminal.press("question_mark")
    assert isinstance(terminal.app.screen, ArticlesScreen)


async def test_the_mouse_moves_opens_sorts_and_presses_the_hints(terminal: Terminal) -> None:
    await terminal.click(ItemTable, at=(30, 3))
    assert "Асинхронность" in terminal.current
    await terminal.click(ItemTable, at=(30, 3))
    assert isinstance(terminal.app.screen, ReadingScreen)
    await terminal.click("#status", at=(terminal.status.index("Esc"), 0))
    assert isinstance(terminal.app.screen, ArticlesScreen)
    await terminal.click(ItemTable, at=(terminal.lines[1].index("Score"), 0))
    assert "by score ↓" in terminal.status
    assert "Minister" in terminal.lines[2]
    await terminal.click(ItemTable, at=(terminal.lines[1].index("Score"), 0))
    assert "by score ↑" in terminal.status
    await terminal.click("#status", at=(terminal.status.index("feeds"), 0))
    assert isinstance(terminal.app.screen, FeedsScreen)
    await terminal.press("escape")
    table = terminal.app.articles.table
    table.post_message(ItemTable.Moved(1))
    await terminal.settle()
    assert table.cursor == 1


async def test_another_size_keeps_the_article_in_sight(terminal: Terminal) -> None:
    await terminal.press(*["j"] * 15)
    assert "Number 11" in terminal.current
    await terminal.pilot.resize_terminal(100, 12)
    await terminal.settle()
    assert "Number 11" in terminal.current
    await terminal.pilot.resize_terminal(30, 5)
    await terminal.settle()
    assert "Number 11" in terminal.current


async def test_r_loads_what_came_meanwhile(terminal: Terminal, filled: Database) -> None:
    from inforadar.store.people.save_marks import save_marks  # noqa: PLC0415
    from tests.support.faces.terminal import NOW  # noqa: PLC0415

    await filled.write(save_marks, FIRST_PERSON, FIRST, {"archived": True}, NOW)
    await terminal.press("R")
    assert "of 44" in terminal.status


async def test_q_and_control_c_quit_and_remember_the_visit(
    terminal: Terminal, web_settings: Settings
) -> None:
    await terminal.press("q")
    await terminal.until_left()
    assert b"2026-03-01T12:00:00" in (web_settings.home / "terminal.json").read_bytes()
