"""Liferea and RSS Guard fetch and mark through the Google Reader API, on a screen in memory: `make clients`.

Not part of the suite, because two desktop programs with their libraries are much to install.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import signal
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from xml.sax.saxutils import quoteattr

import aiohttp
import pytest

from inforadar.actions.people.tokens import make_app_password
from inforadar.config import Settings
from inforadar.model.person import FIRST_PERSON
from inforadar.store.people.marks import load_marks
from inforadar.urls import url_hash
from tests.support.faces.newsroom import Newsroom

PATIENCE_S, LOOK_S = 120.0, 0.5
SETTLE_S = 8.0
"""How long RSS Guard gets after it has made its tables: nothing tells when it has written everything else."""
HASHES = [url_hash(f"https://one.example/{number}") for number in range(3)]
KEY = 0x1122334455667788
"""RSS Guard's own key for stored passwords."""


@pytest.fixture
async def password(newsroom: Newsroom, web: aiohttp.ClientSession) -> str:
    feed = await newsroom.add_feed("https://one.example/feed", title="Gull Gazette", topic="birds")
    for number in range(3):
        await newsroom.add_item(
            feed, f"https://one.example/{number}", title=f"Headline {number}", content=f"<p>Body {number}</p>"
        )
    return (await make_app_password(newsroom.database, FIRST_PERSON, "desktop"))[0]


class Desktop:
    """A screen in memory, with one program on it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        runtime = home / "run"
        runtime.mkdir(mode=0o700, parents=True)
        self.environment = os.environ | {
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(runtime),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "XDG_DATA_HOME": str(home / ".local/share"),
            "GSETTINGS_BACKEND": "memory",
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "NO_AT_BRIDGE": "1",
            # RSS Guard's viewer is a browser, which refuses to run as root with its sandbox.
            "QTWEBENGINE_DISABLE_SANDBOX": "1",
            "QTWEBENGINE_CHROMIUM_FLAGS": "--no-sandbox --disable-gpu",
        }

    @asynccontextmanager
    async def running(self, *command: str) -> AsyncIterator[None]:
        """Run the program on a new screen."""
        read, write = os.pipe()
        screen = await self._start(
            "Xvfb",
            "-displayfd",
            str(write),
            "-screen",
            "0",
            "1280x800x24",
            "-nolisten",
            "tcp",
            pass_fds=[write],
        )
        os.close(write)
        with os.fdopen(read) as told:
            # The whole line: it is written in two parts, and the screen ends if nobody reads the second.
            number = await asyncio.to_thread(told.readline)
        self.environment["DISPLAY"] = f":{number.strip()}"
        program = await self._start("dbus-run-session", "--", *command)
        try:
            yield
        finally:
            for process in (program, screen):
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)
                await process.wait()

    async def find_window(self, name: str) -> str | None:
        """The id of the visible window with this name."""
        found = await self._start(
            "xdotool", "search", "--onlyvisible", "--name", name, stdout=asyncio.subprocess.PIPE
        )
        ids = (await found.communicate())[0].split()
        return ids[0].decode() if ids else None

    async def press(self, key: str, name: str) -> None:
        """Press a key in the window with this name, if it is there already."""
        window = await self.find_window(name)
        if window:
            pressing = await self._start("xdotool", "windowfocus", window, "key", "--clearmodifiers", key)
            await pressing.wait()

    async def _start(
        self, program: str, *arguments: str, stdout: int | None = None, pass_fds: list[int] | None = None
    ) -> asyncio.subprocess.Process:
        path = shutil.which(program)
        assert path, f"{program} is missing: run `scripts/system-packages clients`"
        return await asyncio.create_subprocess_exec(
            path,
            *arguments,
            env=self.environment,
            stdout=stdout if stdout is not None else asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            pass_fds=pass_fds or [],
            start_new_session=True,
        )


async def wait_for(what: str, is_there: Callable[[], Awaitable[bool]]) -> None:
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not await is_there():
                await asyncio.sleep(LOOK_S)
    except TimeoutError:
        pytest.fail(f"{what} did not happen")


async def count_read(newsroom: Newsroom) -> int:
    found = await newsroom.database.read(load_marks, FIRST_PERSON, HASHES)
    return sum(one.read_at is not None for one in found.values())


async def test_liferea_fetches_and_marks(
    newsroom: Newsroom, web_settings: Settings, password: str, tmp_path: Path
) -> None:
    desktop = Desktop(tmp_path / "liferea")
    (desktop.home / ".config/liferea").mkdir(parents=True)
    given = {"xmlUrl": web_settings.web.base_url, "username": "admin", "password": password}
    account = " ".join(f"{name}={quoteattr(value)}" for name, value in given.items())
    (desktop.home / ".config/liferea/feedlist.opml").write_text(
        '<?xml version="1.0"?><opml version="1.0"><head><title>Liferea Feed List Export</title></head><body>'
        '<outline type="source" sourceType="fl_google_reader" id="abcdefg" title="Radar" text="Radar" '
        f'updateInterval="-1" expanded="true" {account}/></body></opml>'
    )

    async def has_fetched() -> bool:
        # It has a welcome of its own, and a key pressed too early opens a dialog that takes all others.
        found = desktop.home / ".local/share/liferea/liferea.db"
        query = "SELECT count(*) FROM items WHERE title LIKE 'Headline%'"
        return await asyncio.to_thread(asked, found, query) == 3

    async def has_read_next() -> bool:
        # "Next unread item": selects it, which marks it as read.
        await desktop.press("ctrl+n", "Liferea")
        return await count_read(newsroom) == 3

    async with desktop.running("liferea"):
        await wait_for("fetching in Liferea", has_fetched)
        await wait_for("marking all three as read in Liferea", has_read_next)


async def test_rss_guard_fetches_and_marks(
    newsroom: Newsroom, web_settings: Settings, password: str, tmp_path: Path
) -> None:
    desktop = Desktop(tmp_path / "rssguard")
    data = desktop.home / "data"
    database = data / "database/database.db"

    async def is_set_up() -> bool:
        made = "SELECT count(*) FROM sqlite_master WHERE name = 'LabelsInMessages'"
        return await asyncio.to_thread(asked, database, made) > 0

    async with desktop.running("rssguard", "-d", str(data)):
        await wait_for("setting up RSS Guard", is_set_up)
        await asyncio.sleep(SETTLE_S)
    add_account(data, web_settings.web.base_url, password)

    async def has_fetched() -> bool:
        return (
            await asyncio.to_thread(asked, database, "SELECT count(*) FROM Messages WHERE account_id = 7")
            == 3
        )

    async def has_marked() -> bool:
        # Mark everything as read, then update: it sends its marks with the next update.
        await desktop.press("F8", "RSS Guard")
        await desktop.press("F7", "RSS Guard")
        return await count_read(newsroom) == 3

    async with desktop.running("rssguard", "-d", str(data)):
        await wait_for("fetching in RSS Guard", has_fetched)
        assert await count_read(newsroom) == 0
        await wait_for("marking in RSS Guard", has_marked)


def add_account(data: Path, url: str, password: str) -> None:
    """Give RSS Guard an account of the kind that takes any address, and keys for what its menus do."""
    (data / "config").mkdir(exist_ok=True)
    (data / "config/key.private").write_text(str(KEY))
    (data / "config/config.ini").write_text(
        "[feeds]\nfeeds_update_on_startup=true\nfeeds_update_on_startup_delay=2\n\n"
        "[main]\nfirst_run=false\nfirst_run_4.0.4=false\n\n"
        "[keyboard]\nm_actionMarkAllItemsRead=F8\nm_actionUpdateAllItems=F7\n"
    )
    account = {
        "service": 1024,
        "username": "admin",
        "password": encrypted(password),
        "url": url,
        "batch_size": 100,
    }
    with sqlite3.connect(data / "database/database.db") as connection:
        connection.execute(
            "INSERT INTO Accounts (id, type, custom_data) VALUES (7, 'greader', ?)", [json.dumps(account)]
        )
    connection.close()


def encrypted(text: str) -> str:
    """As Qt's SimpleCrypt does, without a checksum: each byte with the key and the byte before it."""
    out, last = bytearray(), 0
    for place, byte in enumerate(b"*" + text.encode()):
        last ^= byte ^ (KEY >> (8 * (place % 8)) & 0xFF)
        out.append(last)
    return base64.b64encode(b"\x03\x00" + bytes(out)).decode()


def asked(database: Path, query: str) -> int:
    """The answer of a program's database; 0 as long as it is not there."""
    try:
        connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    except sqlite3.Error:
        return 0
    try:
        return int(connection.execute(query).fetchone()[0])
    except sqlite3.Error:
        return 0
    finally:
        connection.close()
