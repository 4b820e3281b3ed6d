"""Regressions of speed, in under two minutes: ratios against bare libraries in the same run.

    python -m bench smoke [--feeds 300] [--rounds 3]

    parse        `parse_feed` on a made feed             against bare lxml reading every element's text
    unchanged    a refresh in which every answer is 304  against bare aiohttp with the same requests
    first fetch  collecting 30 entries a feed            against bare sqlite3 storing and indexing as many rows
    start        `inforadar --help`                      against a bare interpreter

Each ratio is of CPU seconds, the best of several rounds, so that other work on the machine hardly counts. It fails
where a ratio is beyond its limit: the figure measured when the limit was set, plus a third.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree

from bench import farm
from bench.feeds import BASE, make_feed
from bench.startup import cpu_of
from inforadar.stages.discover.feed.parse import parse_feed

MARGIN = 4 / 3
_ENTRIES = 30
_SETTLED = {"parse": 2.5, "start": 3.2, "unchanged": 4.2, "first fetch": 34.0}
"""The ratios on the code for which they were last set; what is slower by more than a third is a regression."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """What one part costs beside a bare library, in CPU seconds."""

    name: str
    ours_s: float
    bare_s: float

    @property
    def value(self) -> float:
        return self.ours_s / self.bare_s

    @property
    def limit(self) -> float:
        return _SETTLED[self.name] * MARGIN

    @property
    def is_kept(self) -> bool:
        return self.value <= self.limit


def _least_cpu_s(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        before = time.process_time()
        work()
        times.append(time.process_time() - before)
    return min(times)


def _parse(rounds: int) -> Ratio:
    document = make_feed(200, "rss")

    def bare() -> int:
        return sum(len(element.text or "") for element in etree.fromstring(document).iter())

    # Several rounds even where few are asked for: each takes hundredths of a second.
    ours = _least_cpu_s(lambda: parse_feed(document, BASE), rounds * 3)
    return Ratio("parse", ours, _least_cpu_s(bare, rounds * 3))


def _collect(feeds: int, rounds: int) -> list[Ratio]:
    """Fetch a farm of feeds, then refresh it; each step runs in a process of its own."""
    arguments = farm.parse_arguments(["--entries", str(_ENTRIES)])
    rows: list[dict[str, Any]] = []
    for _ in range(rounds):
        with farm.opened_farm(arguments, feeds=feeds, hosts=max(feeds // 5, 1), delay_s=0.0) as bench:
            for step in ("first fetch", "unchanged"):
                row = bench.step(step, "collect")
                if row["stored"] != row["expected"]:
                    raise SystemExit(f"{step}: {row['stored']} of {row['expected']} entries stored")
            bench.step("bare aiohttp", "bare", str(bench.urls_file))
            rows += bench.rows
    least = {row["step"]: row["cpu_s"] for row in farm.best_rows([row for row in rows if "cpu_s" in row])}
    stored_s = _least_cpu_s(lambda: _store(feeds * _ENTRIES), rounds)
    return [
        Ratio("unchanged", least["unchanged"], least["bare aiohttp"]),
        Ratio("first fetch", least["first fetch"], stored_s),
    ]


def _store(count: int) -> None:
    """Store and index as many rows as the farm has entries, in one transaction."""
    words = "harbour council vote winter ferry museum budget storm railway engine orchard"
    rows = [(f"http://127.1.0.1/{n}", f"{words} {n}", f"{words} {words} {n}") for n in range(count)]
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(sqlite3.connect(Path(folder) / "bare.db")) as database,
    ):
        database.executescript(
            "create table items (url text primary key, title text, snippet text);"
            "create virtual table words using fts5 (title, snippet, content='')"
        )
        with database:
            database.executemany("insert into items values (?, ?, ?)", rows)
            database.execute(
                "insert into words (rowid, title, snippet) select rowid, title, snippet from items"
            )


def _start(rounds: int) -> Ratio:
    with tempfile.TemporaryDirectory() as home:
        bare = min(cpu_of([sys.executable, "-c", "pass"], home) for _ in range(rounds * 3))
        ours = min(cpu_of([sys.executable, "-m", "inforadar", "--help"], home) for _ in range(rounds * 3))
    return Ratio("start", ours, bare)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench smoke", description=__doc__)
    parser.add_argument("--feeds", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args(argv)
    ratios = [
        _parse(arguments.rounds),
        _start(arguments.rounds),
        *_collect(arguments.feeds, arguments.rounds),
    ]
    print(f"{'part':<13}{'ours, CPU s':>12}{'bare, CPU s':>12}{'ratio':>8}{'limit':>8}")
    for ratio in ratios:
        fault = "" if ratio.is_kept else "  slower than the limit"
        print(
            f"{ratio.name:<13}{ratio.ours_s:>12.4f}{ratio.bare_s:>12.4f}"
            f"{ratio.value:>8.2f}{ratio.limit:>8.2f}{fault}"
        )
    return 0 if all(ratio.is_kept for ratio in ratios) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
