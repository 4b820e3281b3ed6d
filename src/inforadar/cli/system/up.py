"""`inforadar up`: start everything, as child processes that share only the database (C10)."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Annotated
from urllib.parse import quote

from cyclopts import Parameter

from inforadar.app.store import SAMPLE, make_home, open_store
from inforadar.cli.system.serve import STOP_S, UNDER_UP, stop_signals
from inforadar.cli.terminal.browser import is_desktop, start_browser
from inforadar.cli.terminal.command import own_command
from inforadar.cli.terminal.logs import configure_logs
from inforadar.cli.terminal.output import print_line
from inforadar.clock import utc_now
from inforadar.config import Settings, default_home, load_settings
from inforadar.errors import DatabaseInUseError, StoreError
from inforadar.masks import masked
from inforadar.sample.install import add_sample
from inforadar.sample.server import check_sample_port, choose_sample_port
from inforadar.store.database import Database
from inforadar.store.feeds.queries import count_feeds, load_feeds
from inforadar.texts import counted, ending
from inforadar.urls import host_key
from inforadar.web.serve import check_port, login_link

FIRST_RESTART_S, MAX_RESTART_S = 1.0, 60.0
"""How long a process that ended is left alone: twice as long each time."""
ADDRESS = ("INFORADAR_HOST", "INFORADAR_PORT")
STEADY_S = 60.0
"""A process that ran for this long begins anew with the shortest wait."""


def up(
    *,
    host: Annotated[str | None, Parameter(help="The address to listen on.")] = None,
    port: Annotated[int | None, Parameter(help="The port to listen on.")] = None,
    sample: Annotated[
        bool,
        Parameter(negative="--no-sample", help="Add the sample to an empty database, and serve it."),
    ] = True,
    open_: Annotated[
        bool,
        Parameter(
            name="--open",
            negative="--no-open",
            help="Open the page in the browser, logged in; only on a desktop, not over SSH.",
        ),
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
        return asyncio.run(_supervise(settings, feed, opens=open_ and is_desktop()))


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
            port = choose_sample_port(settings.sample.port)
            print_line("The database is empty. Adding the sample news …")
            if port != settings.sample.port:
                print_line(f"Port {settings.sample.port} is taken, so the sample is served on port {port}.")
            await add_sample(database, settings.replaced(sample={"port": port}), utc_now)
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


async def _supervise(settings: Settings, feed: str | None, *, opens: bool) -> int:
    """Run the child processes until a signal comes, then stop them all."""
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
            link = await _login_link(settings)
            print(_addresses(settings, feed, link), flush=True)  # not masked: the link is the secret
            if opens and link:
                start_browser(link)
        await processes.keep_running()
    finally:
        await processes.stop()
    if processes.died:
        print_line(f"`inforadar {processes.died}` did not start (see above), so everything was stopped.")
        return 1
    print_line("Stopped.")
    return 0


class _Processes:
    """The child processes. One that ends while others run is started again."""

    def __init__(self, settings: Settings, stop: asyncio.Event) -> None:
        self._environment = {**os.environ, "INFORADAR_HOME": str(settings.home), UNDER_UP: "1"}
        self._stop = stop
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self.died: str | None = None
        """The process that did not start."""

    async def start(self, name: str, answering: str | None = None) -> None:
        """Start a process, unless stopping; with `answering`, wait until that address accepts connections."""
        if self._stop.is_set() or self.died:
            return
        process = await self._start(name)
        while answering and not self._stop.is_set():
            if process.returncode is not None:
                self.died = name
                return
            if await _answers(answering):
                return
            await asyncio.sleep(0.05)

    async def _start(self, name: str) -> asyncio.subprocess.Process:
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
        return process

    async def keep_running(self) -> None:
        """Start each process again that ends, until the stop event is set."""
        if self.died:
            return
        keeping = [asyncio.create_task(self._keep(name)) for name in self._processes]
        stopping = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait([stopping, *keeping], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (stopping, *keeping):
                task.cancel()
            await asyncio.gather(stopping, *keeping, return_exceptions=True)

    async def _keep(self, name: str) -> None:
        wait_s = FIRST_RESTART_S
        while True:
            began = asyncio.get_running_loop().time()
            code = await self._processes[name].wait()
            if asyncio.get_running_loop().time() - began > STEADY_S:
                wait_s = FIRST_RESTART_S
            print_line(
                f"`inforadar {name}` ended unexpectedly ({ending(code)}). "
                f"It is started again in {counted(round(wait_s), 'second')}."
            )
            await asyncio.sleep(wait_s)
            wait_s = min(wait_s * 2, MAX_RESTART_S)
            await self._start(name)

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


async def _login_link(settings: Settings) -> str | None:
    """A link for one login, on a terminal alone: a log may be read by people who must not log in."""
    if not sys.stdout.isatty():
        return None
    async with open_store(settings) as database:
        return await login_link(database, settings)


def _command(settings: Settings) -> str:
    """Our command for the same home, as it can be pasted."""
    home = [] if settings.home == default_home() else ["--home", shlex.quote(str(settings.home))]
    return " ".join([own_command(), *home])


def _link_command(settings: Settings) -> str:
    """The command that makes a login link; an address that only this start was told is told to it too."""
    told = (f"{name}={shlex.quote(os.environ[name])} " for name in ADDRESS if os.environ.get(name))
    return f"{''.join(told)}{_command(settings)} person link admin"


def _addresses(settings: Settings, feed: str | None, link: str | None) -> str:
    base = settings.web.base_url
    login = f"{link}  (works once)" if link else f"{_link_command(settings)}  (makes a login link)"
    lines = ["", "Info Radar is running.", f"  Page     {base}/"]
    if feed:
        lines.append(f"  Feed     {base}/rss?url={quote(masked(feed), safe='')}")
    lines += [
        f"  Log in   {login}",
        f"  Items    {_command(settings)} item list",
        f"  Home     {settings.home}",
        "  Press Ctrl-C to stop.",
        "",
    ]
    return "\n".join(lines)
