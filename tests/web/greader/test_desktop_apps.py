"""Liferea and RSS Guard fetch and mark through the Google Reader API, on a screen in memory."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import signal
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from xml.sax.saxutils import quoteattr

import aiohttp
import psutil
import pytest

from inforadar.actions.people.tokens import make_app_password
from inforadar.config import Settings
from inforadar.model.person import FIRST_PERSON
from inforadar.store.people.marks import load_marks
from inforadar.urls import url_hash
from tests.support.faces.newsroom import Newsroom

pytestmark = pytest.mark.timeout(900)

PATIENCE_S, END_S, LOOK_S = 180.0, 20.0, 0.25
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
    """A screen in memory, with one program on it that has a home and a message bus of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._log = home / "program.log"
        for folder in ("run", "tmp"):
            (home / folder).mkdir(mode=0o700)
        self._environment = {name: value for name, value in os.environ.items() if "DBUS" not in name} | {
            "HOME": str(home),
            "TMPDIR": str(home / "tmp"),
            "XDG_RUNTIME_DIR": str(home / "run"),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "XDG_DATA_HOME": str(home / ".local/share"),
            "GSETTINGS_BACKEND": "memory",
            "LC_ALL": "C.UTF-8",
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "NO_AT_BRIDGE": "1",
            # RSS Guard's viewer is a browser, which refuses to run as root with its sandbox.
            "QTWEBENGINE_DISABLE_SANDBOX": "1",
            "QTWEBENGINE_CHROMIUM_FLAGS": "--no-sandbox --disable-gpu",
        }

    @asynccontextmanager
    async def running(self, *command: str) -> AsyncIterator[None]:
        """Run the program on a new screen; end everything that it started."""
        try:
            await self._start_screen()
            with self._log.open("ab") as log:
                await self._start("dbus-run-session", "--", *command, output=log.fileno())
            yield
        finally:
            await self._end()

    async def wait_for(self, what: str, is_there: Callable[[], Awaitable[bool]]) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not await is_there():
                    await asyncio.sleep(LOOK_S)
        except TimeoutError:
            pytest.fail(f"{what} did not happen: {self._log.read_text('utf-8', 'replace')[-4000:]}")

    async def press(self, key: str, name: str) -> None:
        """Press a key in the visible window with this name, if it is there already."""
        found = await self._start(
            "xdotool", "search", "--onlyvisible", "--name", name, output=asyncio.subprocess.PIPE
        )
        windows = (await found.communicate())[0].split()
        if windows:
            command = ("windowfocus", windows[0].decode(), "key", "--clearmodifiers", key)
            await (await self._start("xdotool", *command)).wait()

    async def _start_screen(self) -> None:
        read, write = os.pipe()
        size = ("-screen", "0", "1280x800x24")
        with os.fdopen(read) as told:
            try:
                await self._start(
                    "Xvfb", "-displayfd", str(write), *size, "-nolisten", "tcp", pass_fds=[write]
                )
            finally:
                os.close(write)
            # The whole line: it is written in two parts, and the screen ends if nobody reads the second.
            number = await asyncio.to_thread(told.readline)
        assert number, "the screen did not start"
        self._environment["DISPLAY"] = f":{number.strip()}"

    async def _start(
        self,
        program: str,
        *arguments: str,
        output: int = asyncio.subprocess.DEVNULL,
        pass_fds: list[int] | None = None,
    ) -> asyncio.subprocess.Process:
        path = shutil.which(program)
        assert path, f"{program} is missing: run scripts/system-packages"
        return await asyncio.create_subprocess_exec(
            path,
            *arguments,
            env=self._environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=asyncio.subprocess.DEVNULL if output == asyncio.subprocess.PIPE else output,
            pass_fds=pass_fds or [],
            start_new_session=True,
        )

    async def _end(self) -> None:
        """End every process with this home: a bus starts programs in sessions of their own."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            with suppress(TimeoutError):
                async with asyncio.timeout(END_S):
                    while running := await asyncio.to_thread(self._list_processes):
                        for process in running:
                            with suppress(psutil.NoSuchProcess):
                                process.send_signal(sign)
                        await asyncio.sleep(LOOK_S)

    def _list_processes(self) -> list[psutil.Process]:
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.environ().get("HOME") == str(self.home):
                    found.append(process)
        return found


@pytest.fixture
async def desktop() -> AsyncIterator[Desktop]:
    # Not in the test's folder: the programs make sockets in theirs, whose paths must be short.
    with tempfile.TemporaryDirectory(prefix="desktop-") as home:
        yield Desktop(Path(home))


async def count_read(newsroom: Newsroom) -> int:
    found = await newsroom.database.read(load_marks, FIRST_PERSON, HASHES)
    return sum(one.read_at is not None for one in found.values())


async def test_liferea_fetches_and_marks(
    newsroom: Newsroom, web_settings: Settings, password: str, desktop: Desktop
) -> None:
    (desktop.home / ".config/liferea").mkdir(parents=True)
    given = {"xmlUrl": web_settings.web.base_url, "username": "admin", "password": password}
    account = " ".join(f"{name}={quoteattr(value)}" for name, value in given.items())
    (desktop.home / ".config/liferea/feedlist.opml").write_text(
        '<?xml version="1.0"?><opml version="1.0"><head><title>Liferea Feed List Export</title></head><body>'
        '<outline type="source" sourceType="fl_google_reader" id="abcdefg" title="Radar" text="Radar" '
        f'updateInterval="-1" expanded="true" {account}/></body></opml>'
    )
    database = desktop.home / ".local/share/liferea/liferea.db"

    async def has_fetched() -> bool:
        # It has a welcome of its own, and a key pressed too early opens a dialog that takes all others.
        return await count(database, "items WHERE title LIKE 'Headline%'") == 3

    async def has_read_next() -> bool:
        # "Next unread item": selects it, which marks it as read.
        await desktop.press("ctrl+n", "Liferea")
        return await count_read(newsroom) == 3

    async with desktop.running("liferea"):
        await desktop.wait_for("fetching in Liferea", has_fetched)
        assert await count_read(newsroom) == 0
        await desktop.wait_for("marking all three as read in Liferea", has_read_next)


async def test_rss_guard_fetches_and_marks(
    newsroom: Newsroom, web_settings: Settings, password: str, desktop: Desktop
) -> None:
    data = desktop.home / "data"
    database = data / "database/database.db"
    configure_rss_guard(data)

    async def has_tables() -> bool:
        # Written after all tables, in the same step.
        return await count(database, "Information WHERE inf_key = 'schema_version'") > 0

    async with desktop.running("rssguard", "-d", str(data)):
        await desktop.wait_for("making RSS Guard's tables", has_tables)
    add_account(database, web_settings.web.base_url, password)

    async def has_fetched() -> bool:
        return await count(database, "Messages WHERE account_id = 7") == 3

    async def has_marked() -> bool:
        await desktop.press("F8", "RSS Guard")
        return await count(database, "Messages WHERE account_id = 7 AND is_read = 1") == 3

    async def has_sent() -> bool:
        # It sends its marks with the next update.
        await desktop.press("F7", "RSS Guard")
        return await count_read(newsroom) == 3

    async with desktop.running("rssguard", "-d", str(data)):
        await desktop.wait_for("fetching in RSS Guard", has_fetched)
        assert await count_read(newsroom) == 0
        await desktop.wait_for("marking in RSS Guard", has_marked)
        await desktop.wait_for("sending the marks of RSS Guard", has_sent)


def configure_rss_guard(data: Path) -> None:
    """Write its settings: update at once, ask nobody for a newer version, keys for what its menus do."""
    (data / "config").mkdir(parents=True)
    (data / "config/key.private").write_text(str(KEY))
    (data / "config/config.ini").write_text(
        "[feeds]\nfeeds_update_on_startup=true\nfeeds_update_on_startup_delay=2\n\n"
        "[main]\nfirst_run=false\nfirst_run_4.0.4=false\nupdate_on_start=false\n\n"
        "[keyboard]\nm_actionMarkAllItemsRead=F8\nm_actionUpdateAllItems=F7\n"
    )


def add_account(database: Path, url: str, password: str) -> None:
    """Give RSS Guard an account of the kind that takes any address."""
    account = {
        "service": 1024,
        "username": "admin",
        "password": encrypted(password),
        "url": url,
        "batch_size": 100,
    }
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(
            "INSERT INTO Accounts (id, type, custom_data) VALUES (7, 'greader', ?)", [json.dumps(account)]
        )


def encrypted(text: str) -> str:
    """As Qt's SimpleCrypt does, without a checksum: each byte with the key and the byte before it."""
    out, last = bytearray(), 0
    for place, byte in enumerate(b"*" + text.encode()):
        last ^= byte ^ (KEY >> (8 * (place % 8)) & 0xFF)
        out.append(last)
    return base64.b64encode(b"\x03\x00" + bytes(out)).decode()


async def count(database: Path, what: str) -> int:
    """Count rows in a program's database; 0 as long as it or its table is not there."""
    return await asyncio.to_thread(_count, database, f"SELECT count(*) FROM {what}")


def _count(database: Path, query: str) -> int:
    with (
        suppress(sqlite3.OperationalError),
        closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection,
    ):
        return int(connection.execute(query).fetchone()[0])
    return 0
