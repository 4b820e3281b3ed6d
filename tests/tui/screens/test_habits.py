"""Selecting, undoing, marking all as read, the next unread article, and piping."""

from __future__ import annotations

import webbrowser
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.model.person import FIRST_PERSON
from inforadar.store.database import Database
from inforadar.store.people.marks import NO_MARKS, Marks, load_marks
from inforadar.tui.screens.reading import ReadingScreen
from inforadar.urls import url_hash
from tests.support.faces.terminal import CYRILLIC, FIRST, LOADED, Terminal, opened


@pytest.fixture
async def today(filled: Database, web_settings: Settings) -> AsyncIterator[Terminal]:
    """With the real clock: what was added after the list was opened is not marked with it."""
    async with opened(web_settings, filled, now=utc_now) as running:
        yield running


async def marks_of(database: Database, url: str) -> Marks:
    key = url_hash(url)
    return (await database.read(load_marks, FIRST_PERSON, [key])).get(key, NO_MARKS)


async def test_what_is_done_to_selected_articles_is_done_to_all_and_undone_together(
    terminal: Terminal, filled: Database
) -> None:
    await terminal.press("x", "x")
    assert terminal.title.endswith("1 feed needs you")
    assert "2 selected" in terminal.title
    assert [line[1] for line in terminal.lines[2:5]] == ["+", "+", " "]
    await terminal.press("asterisk")
    assert "2 articles: Starred." in terminal.status
    assert (await marks_of(filled, FIRST)).starred_at
    assert (await marks_of(filled, LOADED)).starred_at
    assert not (await marks_of(filled, CYRILLIC)).starred_at
    assert "selected" not in terminal.text
    await terminal.press("u")
    assert await marks_of(filled, FIRST) == await marks_of(filled, LOADED) == NO_MARKS
    assert "★" not in terminal.text
    await terminal.press("x", "escape")
    assert "selected" not in terminal.text


async def test_several_articles_are_opened_in_the_browser(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = tmp_path / "asked"
    monkeypatch.setattr(webbrowser, "_tryorder", None)
    monkeypatch.setenv("BROWSER", f"sh -c 'echo $0 >> {asked}' %s")
    await terminal.press("x", "x", "o")
    assert asked.read_text().split() == [FIRST, LOADED]
    assert "Opened 2 articles in the browser." in terminal.status


async def test_a_whole_list_is_marked_as_read_and_unread_again(today: Terminal, filled: Database) -> None:
    terminal = today
    await terminal.press("m", "C")
    assert "Marked 44 articles as read. u undoes." in terminal.status
    assert (await marks_of(filled, LOADED)).read_at
    await terminal.press("C")
    assert "Nothing here is unread." in terminal.status
    await terminal.press("N")
    assert "Nothing unread is left." in terminal.status
    await terminal.press("u")
    assert "They are unread again." in terminal.status
    assert not (await marks_of(filled, LOADED)).read_at
    await terminal.press("u")
    assert "Undone: Marked as read." in terminal.status


async def test_the_next_unread_article_may_be_on_another_page_or_in_another_feed(today: Terminal) -> None:
    terminal = today
    await terminal.press("N")
    assert "Minister" in terminal.current
    # From a feed that is read to its end to the next one by name.
    await terminal.press("F", "enter")
    assert "feed: Habr" in terminal.title
    await terminal.press("C", "N")
    assert "feed: Many" in terminal.title
    assert "Number 00" in terminal.current
    await terminal.press("enter", *["N"] * 22)
    assert isinstance(terminal.app.screen, ReadingScreen)
    assert "Number 22" in terminal.text
    await terminal.press("escape")
    assert "Number 22" in terminal.current


async def test_an_article_is_piped_to_a_command(
    filled: Database, web_settings: Settings, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    async with opened(web_settings, filled) as terminal:
        await terminal.press("x", "x", "vertical_line")
        await terminal.type(f"cat > {out}; echo $INFORADAR_URL >> {out}")
        await terminal.press("enter")
        assert "Piped to cat" in terminal.text
        text = out.read_text("utf-8")
        assert text.startswith(f"How we cut cold starts by nine tenths\n{FIRST}\nHabr · Ada · 1 Mar 2026")
        assert "We **measured** it." in text
        assert "Minister SLAMS critics" in text
        assert text.endswith(f"{FIRST}\n")
        await terminal.press("enter", "vertical_line", "up")
        assert "| cat > " in terminal.text
        await terminal.press("ctrl+u")
        await terminal.type("exit 3")
        await terminal.press("enter")
        assert "exit 3 ended with exit code 3." in terminal.text


async def test_marks_are_undone_while_reading_too(terminal: Terminal, filled: Database) -> None:
    await terminal.press("enter", "asterisk", "u")
    assert (await marks_of(filled, FIRST)).starred_at is None
    assert "starred" not in terminal.title
