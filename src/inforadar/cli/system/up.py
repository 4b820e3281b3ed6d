"""`inforadar up`: start everything, as child processes that share only the database (C10)."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Annotated
from urllib.parse import quote

from cyclopts import Parameter

from inforadar.app.store import SAMPLE, make_home, open_store
from inforadar.cli.system.children import Child, Children
from inforadar.cli.system.login_link import login_link
from inforadar.cli.system.serve import PROCESSES_HELP
from inforadar.cli.system.signals import STOP_S, stop_signals
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
from inforadar.urls import host_key
from inforadar.web.port import check_port

ADDRESS = ("INFORADAR_HOST", "INFORADAR_PORT")


def up(
    *,
    host: Annotated[str | None, Parameter(help="The address to listen on.")] = None,
    port: Annotated[int | None, Parameter(help="The port to listen on.")] = None,
    processes: Annotated[int | None, Parameter(help=PROCESSES_HELP)] = None,
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
    if processes is not None:
        os.environ["INFORADAR_API_PROCESSES"] = str(processes)
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
    children = Children(stop, {"INFORADAR_HOME": str(settings.home)})
    try:
        if feed:
            await children.start(_child("sample serve", answering=host_key(feed)))
        await children.start(_child("api", answering=host_key(settings.web.base_url)))
        await children.start(_child("worker"))
        if not stop.is_set() and not children.died:
            link = await _login_link(settings)
            print(_addresses(settings, feed, link), flush=True)  # not masked: the link is the secret
            if opens and link:
                start_browser(link)
        await children.keep_running()
    finally:
        await children.stop(within_s=STOP_S - 1)
    if children.died:
        print_line(f"{children.died.name} did not start (see above), so everything was stopped.")
        return 1
    print_line("Stopped.")
    return 0


def _child(command: str, *, answering: str | None = None) -> Child:
    """A command as a child process; with `answering`, it is ready when that address accepts connections."""
    is_ready = None if answering is None else partial(_answers, answering)
    return Child(command=command, name=f"`inforadar {command}`", is_ready=is_ready)


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
