"""The terminal app: CPU time from the start to the first list, and the response time of keys during a fetch.

    python -m bench tui [--items N] [--fetched N] [--rounds N] [--database sqlite|postgresql]

On both databases unless one is named. The real program runs on a pseudo terminal. The CPU time of the first list is
that of the whole process until the list is painted. Keys are pressed during a fetch of `--fetched` items from a site
on loopback, and each is timed until the screen changes.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import html
import os
import pty
import re
import select
import statistics
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from bench.api import place
from inforadar.model.item import Listed, NewItem
from inforadar.store.database import open_database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.items.save import FeedItems, insert_items
from inforadar.store.upkeep.upgrade import upgrade_database
from inforadar.urls import url_hash

LIMIT_S = 0.6
KEY_LIMIT_S = 0.1
FEEDS = 50
PER_FEED = 100
QUIET_KEYS = 40
SETTLED_S = 0.5
BATCH = 5000
CONTENT = "<p>" + "What the listing itself says of the item, in a few sentences. " * 8 + "</p>"


class Terminal:
    """The program on a pseudo terminal of 120 by 40."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "inforadar"],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "TERM": "xterm-256color", **environment},
            start_new_session=True,
        )
        os.close(slave)
        self.seen = ""
        """Return what was painted since the last wait."""

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def read_until(self, pattern: str, timeout_s: float = 60.0) -> float:
        """Return the seconds until the program paints something that matches `pattern`."""
        began = time.perf_counter()
        self.seen = ""
        while not re.search(pattern, self.seen):
            ready, _, _ = select.select([self._master], [], [], timeout_s)
            if not ready or time.perf_counter() - began > timeout_s:
                raise TimeoutError(
                    f"{pattern!r} was not shown within {timeout_s:g} seconds: {self.seen[-500:]!r}"
                )
            self.seen = (self.seen + os.read(self._master, 65536).decode("utf-8", "replace"))[-65536:]
        return time.perf_counter() - began

    def discard(self) -> None:
        """Forget what was painted until now."""
        while select.select([self._master], [], [], 0)[0]:
            os.read(self._master, 65536)

    @property
    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)


async def fill(database_url: str, number: int) -> None:
    """Make a database with this many items."""
    now = datetime.now(UTC)
    async with open_database(database_url) as database:
        await upgrade_database(database)
        feeds = []
        for count in range(FEEDS):
            feed, _ = await database.write(
                insert_feed,
                f"https://news{count}.example/feed",
                source=f"Source {count}",
                topic=f"topic {count % 7}",
                enabled=True,
            )
            feeds.append(feed)
        for start in range(0, number, BATCH):
            added = tuple(
                NewItem(
                    url=url,
                    hash=url_hash(url),
                    listed=Listed(
                        url=url,
                        title=f"Number {count}: how we cut cold starts by nine tenths",
                        published_at=now - timedelta(minutes=count),
                        snippet="What the listing says of it.",
                        content=CONTENT,
                        views=count % 7919,
                        rating=count % 31,
                    ),
                )
                for count in range(start, min(start + BATCH, number))
                for url in [f"https://news{count % FEEDS}.example/{count}"]
            )
            feed = feeds[start // BATCH % FEEDS]
            batch = FeedItems(feed_id=feed.id, topic=feed.topic, run_id=None, at=now, added=added)
            await database.write(insert_items, [batch])


def first_list(environment: Mapping[str, str], rounds: int) -> list[float]:
    """Measure the CPU seconds of each start; the count at the bottom comes after the list and is not included."""
    spent = []
    for _ in range(rounds):
        terminal = Terminal(environment)
        try:
            terminal.read_until("Number 30")
            spent.append(terminal.cpu_s)
        finally:
            terminal.close()
    return spent


@contextmanager
def site(number: int) -> Iterator[str]:
    """Serve feeds of a hundred items each on loopback, `number` items in all; yield the address."""
    now = datetime.now(UTC)

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            feed = self.path.strip("/")
            body = rss(feed, now).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/rss+xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def rss(feed: str, now: datetime) -> str:
    items = "".join(
        f"<item><title>Item {number} of {feed}</title><link>https://news.example/{feed}/{number}</link>"
        f"<pubDate>{format_datetime(now - timedelta(minutes=number))}</pubDate>"
        f"<description>{html.escape(CONTENT)}</description></item>"
        for number in range(PER_FEED)
    )
    return f'<rss version="2.0"><channel><title>{feed}</title>{items}</channel></rss>'


async def subscribe(database_url: str, address: str, number: int) -> None:
    async with open_database(database_url) as database:
        await upgrade_database(database)
        for count in range(number // PER_FEED):
            await database.write(
                insert_feed,
                f"http://{address}/{count}",
                source="Bench",
                topic=f"topic {count}",
                enabled=True,
                enforce_feed_domain=False,
            )


def keys_during_fetch(environment: Mapping[str, str], number: int) -> tuple[list[float], list[float]]:
    """Measure the seconds from each key to its effect on the screen: during the fetch, and when idle."""
    waits: list[float] = []
    quiet: list[float] = []
    with site(number) as address:
        asyncio.run(subscribe(environment["DATABASE_URL"], address, number))
        terminal = Terminal({**environment, "FETCHER_ALLOWED_NETWORKS": address, "FETCHER_DOMAIN_DELAY": "0"})
        try:
            terminal.read_until("No articles yet")
            terminal.press("f")
            # A log that follows its end may skip any single line; forty lines are more than fit on the screen.
            terminal.read_until(r"Item \d+ of [4-9]\d")
            while "Done" not in terminal.seen:
                _press_in_turns(terminal, waits)
            # The end of the fetch may have hidden what the last key did.
            terminal.press("G")
            time.sleep(SETTLED_S)
            terminal.discard()
            while len(quiet) < QUIET_KEYS:
                _press_in_turns(terminal, quiet)
        finally:
            terminal.close()
    return waits, quiet


def _press_in_turns(terminal: Terminal, waits: list[float]) -> None:
    """Press two keys and measure when each takes effect; a fetch that ends meanwhile hides the effect."""
    for key, answer in (("k", "not following"), ("G", "scroll")):
        terminal.press(key)
        waited_s = terminal.read_until(f"{answer}|Done")
        if "Done" in terminal.seen:
            return
        waits.append(waited_s)


def measure(kind: str, items: int, fetched: int, rounds: int) -> bool:
    """Measure and print both on one kind of database; return whether the limits are kept."""
    print(f"{kind}:")
    with place(kind) as (_, environment):
        waits, quiet = map(sorted, keys_during_fetch(environment, fetched))
    worst = waits[int(len(waits) * 0.99)]
    print(
        f"{len(waits)} keys while {fetched:,} items were fetched: {statistics.median(waits) * 1000:.0f} ms "
        f"in the middle, {worst * 1000:.0f} ms at 99 % (limit {KEY_LIMIT_S * 1000:.0f} ms); "
        f"{statistics.median(quiet) * 1000:.0f} and {quiet[-1] * 1000:.0f} ms when nothing else went on"
    )
    with place(kind) as (_, environment):
        asyncio.run(fill(environment["DATABASE_URL"], items))
        starts = first_list(environment, rounds)
    print(
        f"first list of {items:,} items: CPU {min(starts):.2f} s at best, "
        f"{sorted(starts)[len(starts) // 2]:.2f} s in the middle (limit {LIMIT_S:g} s)"
    )
    return min(starts) <= LIMIT_S and worst <= KEY_LIMIT_S


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench tui")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--fetched", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--database", choices=("sqlite", "postgresql"))
    options = parser.parse_args(argv)
    kinds = (options.database,) if options.database else ("sqlite", "postgresql")
    kept = [measure(kind, options.items, options.fetched, options.rounds) for kind in kinds]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
