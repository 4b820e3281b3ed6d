"""The speed of fetching articles: pages on loopback, processed by the unmodified canonical stage.

    python -m bench canonical [--pages 2000] [--hosts 50] [--corpus FOLDER] [--workers 10] [--database postgresql]

Fetching, extracting in the process pool and saving all go through the same `open_worker` that `inforadar worker` uses,
with the guard on, robots.txt requested and the delay between requests to a host off. The pages are made up in typical
layouts, or taken from a corpus and repeated. CPU and memory are those of the program and its pool together; lag is how
late the event loop runs a task that is due every 5 ms.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import psutil

from bench.canonical_pages import make_page
from bench.farm import database, tree_cpu_s
from bench.farm_site import FIRST_HOST, free_port, serve

_TIMEOUT_S = 280
_LOOK_S = 0.05
_STEP = "import sys; from bench.canonical_step import main; main(sys.argv[1:])"
LAG_GOAL_MS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """A folder of pages, served on many hosts."""

    folder: Path
    port: int
    count: int
    hosts: int

    def urls(self) -> list[str]:
        hosts = [IPv4Address(FIRST_HOST) + number % self.hosts for number in range(self.count)]
        return [f"http://{host}:{self.port}/{number}.html" for number, host in enumerate(hosts)]

    @property
    def mean_kb(self) -> float:
        return sum(path.stat().st_size for path in self.folder.iterdir()) / self.count / 1000


def _write_pages(pages: Pages, corpus: Path | None) -> None:
    pages.folder.mkdir(parents=True)
    files = sorted((corpus / "pages").glob("*.html.gz")) if corpus else []
    for number in range(pages.count):
        path = pages.folder / f"{number}.html"
        if files:
            path.write_bytes(gzip.decompress(files[number % len(files)].read_bytes()))
        else:
            path.write_text(make_page(number), encoding="utf-8")


class _Memory:
    """Return the peak memory of a process and its children."""

    def __init__(self) -> None:
        self.peak_mb = 0.0
        self.own_mb = 0.0

    @contextmanager
    def watch(self, process: subprocess.Popen[str]) -> Iterator[None]:
        done = threading.Event()
        root = psutil.Process(process.pid)

        def look() -> None:
            while not done.wait(_LOOK_S):
                own, pool = _resident_mb(root), sum(map(_resident_mb, _children(root)))
                self.own_mb = max(self.own_mb, own)
                self.peak_mb = max(self.peak_mb, own + pool)

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def _children(root: psutil.Process) -> list[psutil.Process]:
    try:
        return root.children(recursive=True)
    except psutil.Error:
        return []


def _resident_mb(process: psutil.Process) -> float:
    try:
        return float(process.memory_info().rss) / 2**20
    except psutil.Error:
        return 0.0


def _measured(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    pages = Pages(folder=folder / "www", port=free_port(), count=arguments.pages, hosts=arguments.hosts)
    _write_pages(pages, arguments.corpus)
    urls_file = folder / "urls.txt"
    urls_file.write_text("\n".join(pages.urls()))
    with (
        serve(pages, folder / "nginx", with_log=False) as server,
        database(arguments.database, folder) as (url, postgres),
    ):
        environment = {
            "INFORADAR_HOME": str(folder),
            "DATABASE_URL": url,
            "FETCHER_ALLOWED_NETWORKS": "127.0.0.0/8",
            "FETCHER_DOMAIN_DELAY": "0",
            "CANONICAL_WORKERS": str(arguments.workers),
            "INFORADAR_LOG_LEVEL": "error",
            "REDIS_URL": "",
        }
        memory, before_s = _Memory(), tree_cpu_s(postgres)
        options = ["--profile"] if arguments.profile else []
        process = subprocess.Popen(
            # Not with -m: each process of the pool would import the main module again.
            [sys.executable, "-c", _STEP, str(urls_file), *options],
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        with memory.watch(process):
            output, _ = process.communicate(timeout=_TIMEOUT_S)
        if process.returncode:
            raise SystemExit(f"The step ended with {process.returncode}.")
        report: dict[str, Any] = json.loads(output)
        return report | {
            "pages": pages.count,
            "page_kb": pages.mean_kb,
            "requests": server.requests(),
            "peak_mb": memory.peak_mb,
            "own_mb": memory.own_mb,
            "database_cpu_s": tree_cpu_s(postgres) - before_s,
            "load": os.getloadavg()[0],
        }


def _print_table(report: dict[str, Any], arguments: argparse.Namespace) -> None:
    print(
        f"{report['pages']} pages of {report['page_kb']:.0f} kB on {arguments.hosts} hosts, {arguments.database}, "
        f"{arguments.workers} workers, {report['requests']} requests, load {report['load']:.1f}"
    )
    columns = {
        "pages/s": f"{report['pages'] / report['wall_s']:.0f}",
        "wall s": f"{report['wall_s']:.2f}",
        "CPU s": f"{report['cpu_s']:.2f}",
        "of it pool": f"{report['cpu_s'] - report['loop_cpu_s']:.2f}",
        "CPU ms a page": f"{1000 * report['cpu_s'] / report['pages']:.1f}",
        "database CPU s": f"{report['database_cpu_s']:.2f}",
        "peak MB": f"{report['peak_mb']:.0f}",
        "without pool": f"{report['own_mb']:.0f}",
        "lag p50 ms": f"{report['lag_p50_ms']:.1f}",
        "lag p99": f"{report['lag_p99_ms']:.1f}",
        "worst": f"{report['lag_worst_ms']:.1f}",
        "p99 of an idle loop": f"{report['idle_p99_ms']:.1f}",
    }
    for row in (columns.keys(), columns.values()):
        print("  ".join(f"{cell:>{len(head)}}" for head, cell in zip(columns, row, strict=True)))
    print("endings: " + ", ".join(f"{count} {name}" for name, count in sorted(report["endings"].items())))
    goal = "kept" if report["lag_p99_ms"] <= LAG_GOAL_MS else "missed"
    print(f"goal of {LAG_GOAL_MS:g} ms for the lag's p99: {goal}")


def main(argv: list[str]) -> int:
    """Print the table; return 1 if a page was lost."""
    parser = argparse.ArgumentParser(prog="bench canonical", description=__doc__)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--hosts", type=int, default=50)
    parser.add_argument("--corpus", type=Path, help="folder with pages/*.html.gz")
    parser.add_argument("--workers", type=int, default=10)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument(
        "--profile", action="store_true", help="where the event loop's time goes, on standard error"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    arguments = parser.parse_args(argv)
    # When the benchmark is stopped, its servers must stop too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="inforadar-canonical-") as name:
        report = _measured(arguments, Path(name))
    if arguments.json:
        print(json.dumps(report))
    else:
        _print_table(report, arguments)
    return int(sum(report["endings"].values()) != arguments.pages)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
