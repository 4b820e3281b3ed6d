"""A day's work in minutes: does a worker, or the API, that serves for long grow?

    python -m bench soak [--database sqlite|postgresql] [--feeds 200] [--rounds 20] [--cycles 15] [--minutes 9]

One unmodified worker with all stages and one API, on one database. A round is a number of cycles over all feeds, each
with new entries in a twentieth of them, beside visits to the API (`bench.soak_visits`); then come hostile feeds, looks
at articles for changes, and the retention. Time is not waited for: what is to be done is made due. Each round brings
hosts, addresses, articles and searches that were never seen before, as a day does (`bench.soak_site`).

After each round the memory that each process has for itself (USS) is read, and its open files and threads. Caches fill
in the first half; in the second half the worker, its pool and the API may each grow by 8 MB, and by 10 open files. It
ends after `--minutes` at the latest, with the rounds that there were.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import Connection, func, or_, select, text, update

from bench.api import place, serving
from bench.farm_site import free_port
from bench.soak_site import SoakSite, served
from bench.soak_visits import Visitors
from inforadar.actions.people.passwords import set_password
from inforadar.actions.people.tokens import make_app_password
from inforadar.actions.rules.manage import add_rule
from inforadar.app.store import open_store
from inforadar.config import load_settings
from inforadar.model.person import FIRST_PERSON
from inforadar.model.rule import RuleActions
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.people.queries import load_person
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.types import db_now
from inforadar.web.greader.auth import log_in
from inforadar.web.http.admin_token import load_admin_token
from inforadar.web.http.sessions import Sessions
from inforadar.web.pages.pictures import PATH as PICTURES
from tests.chaos.mix import ask_for_looks
from tests.pipeline.notify.receiving import add_hook

_ALLOWED_MB, _ALLOWED_FILES = 8.0, 10
_SHARE = 0.05
_PATIENCE_S = 120.0
_MB = 2**20
_PASSWORD = "a password of the soak"
_ENVIRONMENT = {
    "FETCHER_INTERVAL": "0.2",
    # A silent host would otherwise hold its round for half a minute.
    "FETCHER_REQUEST_TIMEOUT": "2",
    "FETCHER_JOB_TIMEOUT": "4",
    "CANONICAL_REVISIONS_PER_HOST_DAY": "100000",
    "NOTIFY_SETTLE": "0",
    "PUBLISH_ITEMS": "20",
    "RETENTION_MAX_ITEMS": "20",
    "INFORADAR_IMAGES": "proxy",
    "INFORADAR_READING": "open",
}


@dataclass(slots=True)
class Watched:
    """Processes, and what they used after each round."""

    name: str
    root: psutil.Process
    is_pool: bool = False
    """The children of `root` instead of itself."""
    used_mb: list[float] = field(default_factory=list)
    files: list[int] = field(default_factory=list)

    def read(self) -> str:
        watched = self.root.children(recursive=True) if self.is_pool else [self.root]
        found = [(one.memory_full_info(), one.num_fds()) for one in watched]
        self.used_mb.append(sum(memory.uss for memory, _ in found) / _MB)
        self.files.append(sum(files for _, files in found))
        return f"{self.used_mb[-1]:>12.1f}{self.files[-1]:>6}"

    def growth(self) -> tuple[float, int]:
        """Return by how much the second half grew: the median of its last three rounds against its first three."""
        middle = len(self.used_mb) // 2

        def grown(values: list[Any]) -> Any:
            last, first = sorted(values[-3:]), sorted(values[middle : middle + 3])
            return last[len(last) // 2] - first[len(first) // 2]

        return grown(self.used_mb), grown(self.files)


def _make_due(connection: Connection, urls: list[str]) -> None:
    ours = select(feeds.c.id).where(feeds.c.url.in_(urls))
    # As if a person had switched those on again that failed too often.
    connection.execute(update(feeds).where(feeds.c.url.in_(urls)).values(enabled=True))
    due = {"requested_at": db_now(), "next_run_at": db_now()}
    connection.execute(update(feed_schedules).where(feed_schedules.c.id.in_(ours)).values(due))


def _count_due(connection: Connection) -> int:
    schedule = feed_schedules.c
    is_due = or_(schedule.requested_at.is_not(None), schedule.lease_token.is_not(None))
    return int(
        connection.execute(select(func.count()).select_from(feed_schedules).where(is_due)).scalar_one()
    )


async def _collect(database: Database, urls: list[str]) -> None:
    await database.write(_make_due, urls)
    async with asyncio.timeout(_PATIENCE_S):
        while await database.read(_count_due):
            await asyncio.sleep(0.1)


async def _prepare(environment: dict[str, str], site: SoakSite) -> str:
    """Fill the database; return what the reader API asks of an app."""
    async with open_store(load_settings(environ=os.environ | environment), upgrade=True) as database:
        for url in (*site.urls(), *site.hostile_urls()):
            await database.write(insert_feed, url, enabled=True, polling=True, enforce_feed_domain=False)
        await add_hook(database, site.hook, limit=100_000)
        await add_rule(database, FIRST_PERSON, "All", "case", RuleActions(notify=("hook",)))
        await set_password(database, FIRST_PERSON, _PASSWORD, datetime.now(UTC))
        password, _ = await make_app_password(database, FIRST_PERSON, "bench")
        caller = await log_in(database, (await database.read(load_person, FIRST_PERSON)).name, password)
        assert caller is not None
        return caller.auth


async def _visitors(
    database: Database, site: SoakSite, environment: Mapping[str, str], folder: Path, auth: str
) -> Visitors:
    signing = Sessions(token=load_admin_token(folder))

    def picture(number: int) -> str:
        url = site.picture(number)
        return f"{PICTURES}/{signing.picture_signature(url)}?url={url}"

    async def ids(table: str) -> list[str]:
        asked = text(f"SELECT id FROM {table} ORDER BY id DESC LIMIT 2000")
        rows = await database.read(lambda c: c.execute(asked).scalars().all())
        return [str(one) for one in rows]

    person = await database.read(load_person, FIRST_PERSON)
    assert person is not None
    return Visitors(
        url=f"http://127.0.0.1:{environment['INFORADAR_PORT']}",
        items=await ids("items"),
        stories=await ids("stories"),
        feeds=site.urls(),
        picture=picture,
        login=(person.name, _PASSWORD),
        auth=auth,
    )


async def _round(
    options: argparse.Namespace,
    database: Database,
    site: SoakSite,
    visitors: Visitors | None,
    environment: dict[str, str],
) -> None:
    site.round += 1
    dice = random.Random(site.round)
    for _ in range(options.cycles):
        site.grow(dice, _SHARE)
        async with asyncio.TaskGroup() as group:
            group.create_task(_collect(database, site.urls()))
            if visitors:
                group.create_task(visitors.visit(options.visits))
    await _collect(database, site.hostile_urls())
    await database.write(ask_for_looks)
    retention = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "inforadar", "db", "vacuum", "--yes"),
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
    )
    await retention.wait()


async def _run(
    options: argparse.Namespace,
    site: SoakSite,
    auth: str,
    folder: Path,
    environment: dict[str, str],
    watched: list[Watched],
) -> None:
    ends_at = time.monotonic() + options.minutes * 60
    visitors: Visitors | None = None
    async with served(site), open_store(load_settings(environ=os.environ | environment)) as database:
        heads = "".join(f"{one.name + ' MB':>12}{'files':>6}" for one in watched)
        print(f"{'round':>5}{'items':>7}{'told':>7}{'s':>6}{heads}   answers", flush=True)
        while site.round < options.rounds and time.monotonic() < ends_at:
            began = time.monotonic()
            await _round(options, database, site, visitors, environment)
            stored = await database.read(lambda c: c.execute(text("SELECT count(*) FROM items")).scalar())
            used = "".join(one.read() for one in watched)
            answers = sorted(visitors.answers.items()) if visitors else ()
            print(
                f"{site.round:>5}{stored:>7}{site.told:>7}{time.monotonic() - began:>6.0f}{used}   "
                + " ".join(f"{status}: {number}" for status, number in answers),
                flush=True,
            )
            visitors = await _visitors(database, site, environment, folder, auth)


@contextmanager
def _working(environment: dict[str, str]) -> Iterator[psutil.Process]:
    process = subprocess.Popen([sys.executable, "-m", "inforadar", "worker"], env=os.environ | environment)
    try:
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(60)


def main(argv: list[str]) -> int:
    # When this process is terminated, its children must end too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(prog="bench soak", description=__doc__)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--feeds", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--cycles", type=int, default=15)
    parser.add_argument("--visits", type=int, default=6, help="to the API, in each cycle")
    parser.add_argument("--minutes", type=float, default=9.0)
    options = parser.parse_args(argv)
    with place(options.database) as (folder, environment):
        environment.update(_ENVIRONMENT)
        site = SoakSite(options.feeds, free_port())
        auth = asyncio.run(_prepare(environment, site))
        with serving(environment) as api, _working(environment) as worker:
            watched = [Watched("worker", worker), Watched("pool", worker, is_pool=True), Watched("API", api)]
            asyncio.run(_run(options, site, auth, folder, environment, watched))
    is_flat = True
    for one in watched:
        grown_mb, grown_files = one.growth()
        is_flat &= grown_mb <= _ALLOWED_MB and grown_files <= _ALLOWED_FILES
        print(f"{one.name}: {grown_mb:+.1f} MB, {grown_files:+} files in the second half")
    print(
        "Flat."
        if is_flat
        else f"Not flat: at most {_ALLOWED_MB:g} MB and {_ALLOWED_FILES} files are allowed."
    )
    return 0 if is_flat else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
