"""`inforadar up`: everything with one command, as child processes that share only the database (C10)."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated
from urllib.parse import quote

from cyclopts import Parameter

from inforadar.app import SAMPLE, make_home, open_store, utc_now
from inforadar.cli.logs import configure_logs
from inforadar.cli.output import print_line
from inforadar.cli.serve import STOP_S
from inforadar.config import Settings, load_settings
from inforadar.errors import DatabaseInUseError, StoreError
from inforadar.sample.install import add_sample
from inforadar.store.engine import Database
from inforadar.store.feeds import count_feeds, load_feeds
from inforadar.web.serve import check_port


def up(
    *,
    host: Annotated[str | None, Parameter(help="The address to listen on.")] = None,
    port: Annotated[int | None, Parameter(help="The port to listen on.")] = None,
    sample: Annotated[
        bool, Parameter(negative="--no-sample", help="The sample on an empty database.")
    ] = True,
) -> int:
    """Start everything: API, web page, worker; the sample on an empty database."""
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
        children = ["api", "worker", *(["sample serve"] if feed else [])]
        return asyncio.run(_supervise(settings, children, feed))


@contextmanager
def _only_one(settings: Settings) -> Iterator[None]:
    """On SQLite one `up` a home: two would fetch for each other and answer on two ports."""
    if not settings.database_url.startswith("sqlite"):
        yield
        return
    with _lock_file(settings.home / "up.lock") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            other = file.read().strip() or "?"
            raise DatabaseInUseError(
                f"Info Radar is already running on {settings.home} (process {other}). "
                "Stop it first, or start another one with its own --home and --port."
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
    """Upgrades the database, adds the sample to an empty one. Returns a sample feed's URL, if there is one."""
    async with open_store(settings, upgrade=True) as database:
        if with_sample and not await database.read(count_feeds):
            print_line("The database is empty: adding the sample, a small news world of its own …")
            await add_sample(database, settings, utc_now)
        return await _sample_feed(database)


async def _sample_feed(database: Database) -> str | None:
    feeds = await database.read(load_feeds, origin=SAMPLE)
    return feeds[0].url if feeds else None


async def _supervise(settings: Settings, children: list[str], feed: str | None) -> int:
    """Runs the children until a signal comes or one of them ends; then stops them all."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    # In a session of their own, so that Ctrl-C reaches them once: from here.
    processes = {
        name: await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "inforadar",
            *name.split(),
            env={**os.environ, "INFORADAR_HOME": str(settings.home)},
            start_new_session=True,
        )
        for name in children
    }
    print_line(_where_to_look(settings, feed))
    stopping = asyncio.create_task(stop.wait())
    ends = {asyncio.create_task(process.wait()): name for name, process in processes.items()}
    done, _ = await asyncio.wait([stopping, *ends], return_when=asyncio.FIRST_COMPLETED)
    died = [ends[task] for task in done if task in ends]
    await _stop(processes)
    stopping.cancel()
    if died:
        print_line(f"inforadar {died[0]} ended by itself; see above. Everything was stopped.")
        return 1
    print_line("Stopped.")
    return 0


async def _stop(processes: dict[str, asyncio.subprocess.Process]) -> None:
    for process in processes.values():
        if process.returncode is None:
            process.terminate()
    waits = [asyncio.create_task(process.wait()) for process in processes.values()]
    _, late = await asyncio.wait(waits, timeout=STOP_S - 1)
    if late:
        for process in processes.values():
            if process.returncode is None:
                process.kill()
        await asyncio.wait(waits)


def _where_to_look(settings: Settings, feed: str | None) -> str:
    base = settings.web.base_url
    lines = ["", "Info Radar is running.", f"  Page     {base}/"]
    if feed:
        lines.append(f"  Feed     {base}/rss?url={quote(feed, safe='')}")
    lines += [
        "  Items    inforadar item list",
        f"  Home     {settings.home}",
        "  Ctrl-C stops it.",
        "",
    ]
    return "\n".join(lines)
