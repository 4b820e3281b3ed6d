"""The speed of walking a paged site: the command `inforadar fetch` on the test site on loopback.

    python -m bench walk [--pages 500] [--items 20] [--window-days 5] [--database sqlite|postgresql]

    a   the first fetch: every page is counted, then processed
    b   the same right after: only listing pages are requested, and nothing changes
    c   with --depth window: the pages of the window, and one more

CPU seconds are those of the program, its processes and the database server, start included; a separate process serves
the site.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from bench.farm import database, tree_cpu_s
from tests.support.site.paged import SELECTORS, PagedSite
from tests.support.site.server import Site

_TIMEOUT_S = 280


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench walk")
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--items", type=int, default=20)
    parser.add_argument("--window-days", type=int, default=5)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given, _ = parser.parse_known_args(argv)
    if given.serve:
        asyncio.run(_serve(given.pages * given.items, given.items))
        return 0
    total = given.pages * given.items
    # One item per hour: the window's last page may be full, and then one more page is requested.
    in_window = -(-given.window_days * 24 // given.items) + 1
    with (
        tempfile.TemporaryDirectory() as home,
        database(given.database, Path(home)) as (url, server),
        _site(argv) as site,
    ):
        program = _Program(Path(home), site, url, server)
        program.subscribe()
        steps: tuple[tuple[str, list[str], dict[str, int]], ...] = (
            ("a first", [], {"added": total, "updated": 0, "pages": given.pages}),
            ("b again", [], {"added": 0, "updated": 0, "pages": given.pages}),
            (
                "c window",
                ["--depth", "window", "--window-days", str(given.window_days)],
                {"added": 0, "updated": 0, "pages": in_window},
            ),
        )
        print(
            f"{'step':10}{'pages':>7}{'others':>8}{'added':>8}{'updated':>9}{'wall s':>9}{'CPU s':>8}{'items/s':>9}"
        )
        is_right = True
        for name, options, expected in steps:
            row = program.fetch(*options)
            is_right &= all(row[key] == value for key, value in expected.items())
            # robots.txt is requested once a day.
            is_right &= row["others"] == (1 if name.startswith("a") else 0)
            rate = row["found"] / row["wall_s"]
            print(
                f"{name:10}{row['pages']:7}{row['others']:8}{row['added']:8}{row['updated']:9}"
                f"{row['wall_s']:9.2f}{row['cpu_s']:8.2f}{rate:9.0f}"
            )
    if not is_right:
        print("walk: not what was expected", file=sys.stderr)
    return 0 if is_right else 1


class _Served:
    """The site in its own process, which reports the requests since the last report."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.endpoint, self.url = self._read()

    def asked(self) -> tuple[int, int]:
        """Return the number of requests for listing pages, and of all others."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        pages, others = self._read()
        return pages, others

    def _read(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


@contextmanager
def _site(argv: list[str]) -> Iterator[_Served]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.walk", "--serve", *argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield _Served(process)
    finally:
        process.terminate()
        process.communicate()


async def _serve(total: int, page_size: int) -> None:
    """Serve until stopped; for each line on standard input, print the requests since the last line."""
    async with Site(hosts=("127.0.0.1",)) as site:
        paged = PagedSite(site, page_size=page_size)
        paged.publish(total)
        print(json.dumps([site.endpoints[0], paged.url]), flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            pages = len(paged.asked)
            print(json.dumps([pages, len(site.requests) - pages]), flush=True)
            site.requests.clear()


class _Program:
    def __init__(self, home: Path, site: _Served, url: str, server: psutil.Process | None) -> None:
        self._home = home
        self._site = site
        self._server = server
        self._environment: Mapping[str, str] = os.environ | {
            "INFORADAR_HOME": str(home),
            "DATABASE_URL": url,
            "FETCHER_ALLOWED_NETWORKS": site.endpoint,
            "FETCHER_DOMAIN_DELAY": "0",
            "FETCHER_CUTOFF_DATE": "2000-01-01",
        }

    def subscribe(self) -> None:
        self._run("db", "upgrade")
        selectors = self._home / "selectors.toml"
        selectors.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in SELECTORS.items()))
        self._run("feed", "add", self._site.url, "--selectors", str(selectors), "--enable")

    def fetch(self, *options: str) -> dict[str, Any]:
        before, started = self._cpu_s(), time.perf_counter()
        report = json.loads(self._run("fetch", "--json", *options))
        spent = {"wall_s": time.perf_counter() - started, "cpu_s": self._cpu_s() - before}
        pages, others = self._site.asked()
        return spent | {
            "pages": pages,
            "others": others,
            "added": report["added_count"],
            "updated": report["updated_count"],
            "found": report["details"]["progress"]["found"],
        }

    def _run(self, *arguments: str) -> bytes:
        command = [sys.executable, "-m", "inforadar", *arguments]
        return subprocess.run(
            command, env=self._environment, stdout=subprocess.PIPE, check=True, timeout=_TIMEOUT_S
        ).stdout

    def _cpu_s(self) -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime + tree_cpu_s(self._server)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
