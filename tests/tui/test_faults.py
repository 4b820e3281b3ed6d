"""The terminal app says what went wrong, and goes on."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from inforadar.config import Settings
from inforadar.store.database import Database
from inforadar.tui.app import MEMORY
from tests.support.faces.terminal import Terminal, opened
from tests.support.site.documents import entries, rss
from tests.support.site.server import Site


def run_sql(settings: Settings, *statements: str) -> None:
    with closing(sqlite3.connect(settings.home / "inforadar.db")) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


async def command(terminal: Terminal, text: str) -> None:
    await terminal.press("colon")
    await terminal.type(text)
    await terminal.press("enter")


@pytest.mark.parametrize("path", ["~nosuchuser/x.opml", "/nowhere/список.opml", "/", "~nosuchuser"])
async def test_a_file_that_cannot_be_read_is_a_sentence(terminal: Terminal, path: str) -> None:
    await command(terminal, f"import {path}")
    assert path in terminal.status
    await terminal.press("j")
    assert "Minister" in terminal.current


@pytest.mark.parametrize("theme", ["solarized", "", "тёмная"])
async def test_a_theme_that_is_not_there_is_not_used(
    filled: Database, web_settings: Settings, theme: str
) -> None:
    (web_settings.home / MEMORY).write_text(f'{{"theme": "{theme}"}}', "utf-8")
    async with opened(web_settings, filled) as terminal:
        assert terminal.app.theme in {"dark", "light"}
        assert "How we cut" in terminal.current


@pytest.mark.parametrize(
    "keys", [["s"], ["t"], ["colon"], ["R"], ["v"], ["enter", "n"], ["exclamation_mark"]]
)
async def test_a_store_that_does_not_answer_is_a_sentence(
    terminal: Terminal, web_settings: Settings, keys: list[str]
) -> None:
    await terminal.press("G")
    run_sql(web_settings, "ALTER TABLE feeds RENAME TO away")
    await terminal.press(*keys)
    await terminal.press("escape")
    assert terminal.app.is_running
    run_sql(web_settings, "ALTER TABLE away RENAME TO feeds")
    await terminal.press("escape", "s")
    assert "Habr" in terminal.text


async def test_a_store_fault_while_subscribing_is_a_sentence(
    site: Site, filled: Database, web_settings: Settings
) -> None:
    settings = web_settings.replaced(fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0})
    url = site.feed("/feed.xml", rss(entries(2)))
    run_sql(
        web_settings,
        "CREATE TRIGGER refuse BEFORE INSERT ON feeds BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    )
    async with opened(settings, filled) as terminal:
        await command(terminal, f"add {url}")
        await terminal.settle()
        assert terminal.app.is_running
        assert "disk is full" in terminal.status, terminal.text
        await terminal.press("j")
        assert "Minister" in terminal.current
