"""Debian's newsboat reads, marks and stars through the Google Reader API, as its FeedHQ source, in a real terminal."""

from __future__ import annotations

import asyncio
import os
import pty
import select
import shutil
import subprocess
from pathlib import Path

import aiohttp
import pytest

from inforadar.actions.people.tokens import make_app_password
from inforadar.config import Settings
from inforadar.model.person import FIRST_PERSON
from inforadar.store.people.marks import NO_MARKS, Marks, load_marks
from inforadar.urls import url_hash
from tests.support.faces.newsroom import Newsroom

PATIENCE_S = 20.0


def configure(home: Path, settings: Settings, password: str) -> list[str]:
    """Write newsboat's configuration; return the command."""
    home.mkdir()
    program = shutil.which("newsboat")
    assert program, "newsboat is missing: run scripts/system-packages"
    (home / "config").write_text(
        'urls-source "feedhq"\n'
        f'feedhq-url "{settings.web.base_url}"\n'
        'feedhq-login "admin"\n'
        f'feedhq-password "{password}"\n'
        'feedhq-flag-star "s"\n'
        # The special feeds have an address of their own, on a server that is not ours.
        "feedhq-show-special-feeds no\nauto-reload no\nshow-read-feeds yes\nconfirm-exit no\n"
    )
    (home / "urls").write_text("")
    return [program, "-C", str(home / "config"), "-u", str(home / "urls"), "-c", str(home / "cache.db")]


class Screen:
    """A program in a terminal: keys in, text out."""

    def __init__(self, command: list[str]) -> None:
        self.text = b""
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.environ |= {"TERM": "xterm", "LINES": "24", "COLUMNS": "80", "LC_ALL": "C.UTF-8"}
            os.execv(command[0], command)

    def press(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def wait_for(self, words: str) -> None:
        """Read the screen until it has shown the words since the last time."""
        while words.encode() not in self.text:
            ready, _, _ = select.select([self._terminal], [], [], PATIENCE_S)
            assert ready, f"{words!r} did not come: {self.text[-2000:]!r}"
            self.text += os.read(self._terminal, 65536)
        self.text = b""

    def close(self) -> None:
        os.close(self._terminal)
        os.waitpid(self.pid, 0)


@pytest.fixture
async def command(
    newsroom: Newsroom, web_settings: Settings, web: aiohttp.ClientSession, tmp_path: Path
) -> list[str]:
    feed = await newsroom.add_feed("https://one.example/feed", title="Gull Gazette")
    for number in range(3):
        await newsroom.add_item(
            feed, f"https://one.example/{number}", title=f"Headline {number}", content=f"<p>Body {number}</p>"
        )
    password, _ = await make_app_password(newsroom.database, FIRST_PERSON, "newsboat")
    return configure(tmp_path / "newsboat", web_settings, password)


async def marks(newsroom: Newsroom, number: int) -> Marks:
    key = url_hash(f"https://one.example/{number}")
    return (await newsroom.database.read(load_marks, FIRST_PERSON, [key])).get(key, NO_MARKS)


async def test_newsboat_reloads_reads_marks_and_stars(newsroom: Newsroom, command: list[str]) -> None:
    printed = await asyncio.to_thread(
        subprocess.run, [*command, "-x", "reload", "print-unread"], capture_output=True, text=True, timeout=60
    )
    assert printed.stdout.startswith("3 unread"), printed

    def read() -> None:
        screen = Screen(command)
        screen.wait_for("Gull Gazette")
        screen.press("\r")
        screen.wait_for("Headline 2")
        screen.press("\r")
        screen.wait_for("Body")
        screen.press("q")
        screen.wait_for("Headline")
        screen.press("\x05")  # Ctrl-E edits the flags
        screen.wait_for("Flags")
        screen.press("s\r")
        screen.wait_for("updated")
        screen.press("qq")
        screen.close()

    await asyncio.to_thread(read)
    found = [await marks(newsroom, number) for number in range(3)]
    assert sum(one.read_at is not None for one in found) == 1
    assert sum(one.starred_at is not None for one in found) == 1
