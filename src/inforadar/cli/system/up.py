"""`inforadar up`: start everything, as child processes that share only the database (C10)."""

from __future__ import annotations

import asyncio
import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Annotated
from urllib.parse import quote

from cyclopts import Parameter

from inforadar.app.store import SAMPLE, make_home, open_store
from inforadar.cli.system.serve import STOP_S, UNDER_UP, stop_signals
from inforadar.cli.terminal.logs import configure_logs
from inforadar.cli.terminal.output import print_line
from inforadar.clock import utc_now
from inforadar.config import Settings, load_settings
from inforadar.errors import DatabaseInUseError, StoreError
from inforadar.masks import masked
from inforadar.sample.install import add_sample
from inforadar.sample.server import check_sample_port
from inforadar.store.database import Database
from inforadar.store.feeds.queries import count_feeds, load_feeds
from inforadar.urls import host_key
from inforadar.web.serve import check_port, login_link


def up(
    *,
    host: Annotated[str | None, Parameter(help="The address to listen on.")] = None,
    port: Annotated[int | None, Parameter(help="The port to listen on.")] = None,
    sample: Annotated[
        bool,
        Parameter(negative="--no-sample", help="Add the sample to an empty database, and serve it."),
    ] = True,
) -> int:
    """Start everything: API, web page and worker; an empty database gets the sample."""
    if host is not None:
        os.environ["INFORADAR_HOST"] = host
    if port is not None:
        os.environ["INFORADAR_PORT"] = str(port)
    os.environ.setdefault("INFORADAR_LOG_LEVEL", "warning")
    settings = load_settings()
    configure_logs(settings.log)
    make_home(settings.home)
    with _only_one(settings):
        check_port(settings)
        feed = asyncio.run(_prepare(settings, with_sample=sample))
        return asyncio.run(_supervise(settings, feed))


@contextmanager
def _only_one(settings: Settings) -> Iterator[None]:
    """Allow one `up` per home on SQLite: two would share the work and answer on two ports."""
    if not settings.database_url.startswith("sqlite"):
        yield
        return
    with _lock_file(settings.home / "up.lock") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            other = file.read().strip() or "?"
            raise DatabaseInUseError(
                f"Info Radar is already running on {settings.home} (process {other}). "
                "Stop it first, or use another --home and --port."
            ) from None
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        yield


def _lock_file(path: Path) -> IO[str]:
    try:
        return path.open("a+", encoding="ascii")
    except OSError as fault:
        raise StoreError(f"{path} cannot be written: {fault.strerror}.") from None


async def _prepare(settings: Settings, *, with_sample: bool) -> str | None:
    """Upgrade the database and add the sample if it is empty. Return the URL of a sample feed if there are any."""
    async with open_store(settings, upgrade=True) as database:
        if not with_sample:
            return None
        if not await database.read(count_feeds):
            check_sample_port(settings.sample.port)
            print_line("The database is empty. Adding the sample news …")
            await add_sample(database, settings, utc_now)
        feed = await _sample_feed(database)
        if feed:
            check_sample_port(_port(feed))
        return feed


def _port(feed: str) -> int:
    """Return the port that the sample was added with, from a feed's URL."""
    return int(host_key(feed).rpartition(":")[2])


async def _sample_feed(database: Database) -> str | None:
    feeds = await database.read(load_feeds, origin=SAMPLE)
    return feeds[0].url if feeds else None


async def _supervise(settings: Settings, feed: str | None) -> int:
    """Run the child processes until a signal comes or one of them ends, then stop them all."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in stop_signals():
        loop.add_signal_handler(number, stop.set)
    processes = _Processes(settings, stop)
    try:
        if feed:
            await processes.start("sample serve", answering=host_key(feed))
        await processes.start("api", answering=host_key(settings.web.base_url))
        await processes.start("worker")
        if not stop.is_set() and not processes.died:
            print(
                _addresses(settings, feed, await _login_words(settings))
            )  # not masked: the link is the secret
        await processes.until_one_ends()
    finally:
        await processes.stop()
    if processes.died:
        print_line(
            f"`inforadar {processes.died[0]}` ended unexpectedly (see above), so everything was stopped."
        )
        return 1
    print_line("Stopped.")
    return 0


class _Processes:
    """The child processes."""

    def __init__(self, settings: Settings, stop: asyncio.Event) -> None:
        self._environment = {**os.environ, "INFORADAR_HOME": str(settings.home), UNDER_UP: "1"}
        self._stop = stop
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self.died: list[str] = []

    async def start(self, name: str, answering: str | None = None) -> None:
        """Start a process, unless stopping; with `answering`, wait until that address accepts connections."""
        if self._stop.is_set() or self.died:
            return
        # In its own session, so that Ctrl-C reaches it only once, through us. Its input ends when we do.
        process = self._processes[name] = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "inforadar",
            *name.split(),
            env=self._environment,
            stdin=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        while answering and not self._stop.is_set():
            if process.returncode is not None:
                self.died.append(name)
                return
            if await _answers(answering):
                return
            await asyncio.sleep(0.05)

    async def until_one_ends(self) -> None:
        """Wait until a process ends or the stop event is set."""
        if self._stop.is_set() or self.died:
            return
        ends = {asyncio.create_task(process.wait()): name for name, process in self._processes.items()}
        stopping = asyncio.create_task(self._stop.wait())
        done, others = await asyncio.wait([stopping, *ends], return_when=asyncio.FIRST_COMPLETED)
        self.died = [ends[task] for task in done if task in ends]
        for task in others:
            task.cancel()

    async def stop(self) -> None:
        """Terminate all processes; kill those that do not end in time."""
        for process in self._processes.values():
            if process.returncode is None:
                process.terminate()
        waits = [asyncio.create_task(process.wait()) for process in self._processes.values()]
        if not waits:
            return
        _, late = await asyncio.wait(waits, timeout=STOP_S - 1)
        if late:
            for process in self._processes.values():
                if process.returncode is None:
                    process.kill()
            await asyncio.wait(waits)


async def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    except OSError:
        return False
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True


async def _login_words(settings: Settings) -> str:
    """A link for one login, on a terminal alone: a log may be read by people who must not log in."""
    if not sys.stdout.isatty():
        return "inforadar person link admin  (makes a login link)"
    async with open_store(settings) as database:
        return f"{await login_link(database, settings)}  (works once)"


def _addresses(settings: Settings, feed: str | None, login: str) -> str:
    base = settings.web.base_url
    lines = ["", "Info Radar is running.", f"  Page     {base}/"]
    if feed:
        lines.append(f"  Feed     {base}/rss?url={quote(masked(feed), safe='')}")
    lines += [
        f"  Log in   {login}",
        "  Items    inforadar item list",
        f"  Home     {settings.home}",
        "  Press Ctrl-C to stop.",
        "",
    ]
    return "\n".join(lines)
