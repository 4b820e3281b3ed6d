"""The web page on a large database: bytes and time of the first page, an article and a search.

    python -m bench page [--items 100000] [--rounds 20] [--home FOLDER]

`inforadar api` runs as a separate process on SQLite and is asked over loopback, by a reader who is logged in and by one
who is not. "First" is the first answer of a process that has just started and still has to load and count; "then" are
medians. "CPU" is the server's CPU time per answer: on a busy machine the rest is waiting. Bytes count the page with its
style sheet, scripts and icon, uncompressed. With `--home`, the database is kept in that folder and reused.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection  # noqa: TID251 - asks our own server on loopback
from pathlib import Path

from sqlalchemy import Connection, case, select, update

from bench.tui import fill
from inforadar.actions.people.tokens import begin_session
from inforadar.config import load_settings
from inforadar.model.article import Extracted
from inforadar.model.person import FIRST_PERSON
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.articles.claims import claim_article
from inforadar.store.articles.save import ArticleEnding, save_article
from inforadar.store.database import open_database
from inforadar.store.items.queries import list_items
from inforadar.store.people.save_marks import save_marks_of
from inforadar.store.schema.items import items
from inforadar.store.upkeep.upgrade import upgrade_database
from inforadar.urls import uid
from inforadar.web.http.sessions import COOKIE

MOST_BYTES = 100_000
MOST_S = 0.2
ANALYZED = 10_000
TEXT = "\n\n".join(["Cold starts, [measured](https://news.example/) over *many* weeks. " * 12] * 60)
ASSET = re.compile(r'<(?!link rel="apple-touch-icon")[^>]*\b(?:href|src)="(/static/[^"]+)"')
"""What a browser loads with the page. The icon for home screens is loaded when somebody puts it there."""
IMPORT = re.compile(r'import .* from "\./([a-z]+\.js)"')


async def prepare(home: Path, number: int) -> str:
    """Fill the database unless it is filled; return the path of an article with a long text."""
    settings = load_settings(home, {})
    async with open_database(settings.database_url) as database:
        await upgrade_database(database)
        if not await database.read(list_items, limit=1):
            await fill(settings.database_url, number)
            await database.write(score_newest)
        await SearchIndexer(database=database).run_once()
        some = await database.read(list_items, limit=200)
        read = [item.url for item in some[::2]]
        await database.write(save_marks_of, FIRST_PERSON, read, {"read": True}, datetime.now(UTC))
        await database.write(save_marks_of, FIRST_PERSON, read[:9], {"starred": True}, datetime.now(UTC))
        job = await database.write(claim_article, uid(some[0].url))
        if job:
            text = Extracted(clean_text=TEXT, markdown=TEXT)
            await database.write(save_article, ArticleEnding(job=job, at=datetime.now(UTC), result=text))
        return f"/item/{some[0].id}"


def score_newest(connection: Connection) -> None:
    """Give the newest items an analysis; a tenth of them is loaded."""
    newest = select(items.c.id).order_by(items.c.pub_date.desc()).limit(ANALYZED)
    spread = (items.c.views % 10) / 10.0
    connection.execute(
        update(items)
        .where(items.c.id.in_(newest))
        .values(score=case((items.c.views % 10 == 0, 0.9), else_=spread / 3))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    port: int
    cookie: str
    pid: int

    @property
    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def get(self, path: str, *, logged_in: bool = False) -> tuple[float, str]:
        """Request a page; return the seconds and the body."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        began = time.perf_counter()
        connection.request("GET", path, headers={"Cookie": f"{COOKIE}={self.cookie}"} if logged_in else {})
        answer = connection.getresponse()
        body = answer.read().decode("utf-8", "surrogateescape")
        spent = time.perf_counter() - began
        connection.close()
        if answer.status != 200:
            raise RuntimeError(f"{path} answered {answer.status}")
        return spent, body


async def log_in(home: Path) -> str:
    """Return the cookie of a new session of the first admin."""
    async with open_database(load_settings(home, {}).database_url) as database:
        return await begin_session(database, FIRST_PERSON, "bench")


@contextmanager
def serving(home: Path) -> Iterator[Server]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "inforadar", "--home", str(home), "api", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        give_up_at = time.monotonic() + 30
        while time.monotonic() < give_up_at:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                time.sleep(0.02)
        yield Server(port=port, cookie=asyncio.run(log_in(home)), pid=process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def with_assets(server: Server, page: str) -> int:
    """Return the bytes of a page and of everything it loads from the server."""
    waiting, seen = ASSET.findall(page), dict[str, str]()
    while waiting:
        address = waiting.pop()
        name = address.partition("?")[0]
        if name not in seen:
            seen[name] = server.get(address)[1]
            waiting += [f"/static/{module}" for module in IMPORT.findall(seen[name])]
    return sum(len(body.encode("utf-8", "surrogateescape")) for body in (page, *seen.values()))


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench page", description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--home", type=Path)
    options = parser.parse_args(argv)
    within = True
    with tempfile.TemporaryDirectory() as folder:
        home = options.home or Path(folder)
        article = asyncio.run(prepare(home, options.items))
        pages = {
            "first page": "/",
            "of a source": "/?source=Source+7",
            "of a topic": "/?topic=topic+3",
            "unread": "/?show=unread",
            "starred": "/?show=starred",
            "loaded": "/?score=loaded",
            "found: rare": "/?q=99999",
            "found: in all": "/?q=cold+starts",
            "article": article,
        }
        print(f"{options.items:,} items, median of {options.rounds}")
        print(f"{'page':16}{'KB':>8}{'first':>10}{'then':>10}{'CPU':>10}{'logged in':>12}   milliseconds")
        for name, path in pages.items():
            with serving(home) as server:
                first, body = server.get(path)
                before = server.cpu_s
                times = [server.get(path)[0] for _ in range(options.rounds)]
                cpu = (server.cpu_s - before) / options.rounds
                own = [server.get(path, logged_in=True)[0] for _ in range(options.rounds)]
                size = with_assets(server, body)
            figures = (first, statistics.median(times), cpu, statistics.median(own))
            within &= (
                figures[1] <= MOST_S and figures[3] <= MOST_S and (size <= MOST_BYTES or path == article)
            )
            shown = "".join(
                f"{figure * 1000:>{width}.1f}"
                for figure, width in zip(figures, (10, 10, 10, 12), strict=True)
            )
            print(f"{name:16}{size / 1000:>8.1f}{shown}", flush=True)
    print("Within the limits." if within else f"Beyond {MOST_BYTES // 1000} KB or {MOST_S * 1000:g} ms.")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
