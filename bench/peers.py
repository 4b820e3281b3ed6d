"""A comparison with other feed readers: the same farm, the same machine, one after the other in one run.

    python -m bench peers [--feeds 1000] [--entries 30] [--hosts 200] [--patience 280] [--only NAME,…]

    a   first fetch of every feed (adding the feeds included)
    b   refresh with nothing changed
    c   refresh with three new entries in a tenth of the feeds

Every program runs as its user would start it, process start included; the delay between requests is off in all programs
that have one. CPU is that of the whole process tree without nginx; memory is the tree's peak. Stored items are counted
in each program's own store afterwards. Peers come from the package index (into `.venv-peers`) and from Debian; a peer
that cannot be installed is named and skipped. A peer that exceeds `--patience` in a step is stopped there. With
PostgreSQL the server's CPU is counted, its memory is not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import text

from bench.farm import database, tree_cpu_s
from bench.farm_site import Farm, Server, free_port, serve
from inforadar.store.database import open_database

_ROOT = Path(__file__).resolve().parent.parent
_RESULTS = Path(__file__).with_name("results")
_VENV = _ROOT / ".venv-peers"
_FROM_INDEX = ("reader>=3.20", "sgmllib3k", "scrapy>=2.13", "feedparser>=6", "rss2email>=3.14")
_FROM_DEBIAN = ("newsboat", "sfeed", "curl")
_WAIT_FOR_NGINX_S = 1.1
"""nginx checks its files once a second."""


@dataclass(slots=True)
class Usage:
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0


@contextmanager
def _watched(process: subprocess.Popen[Any], usage: Usage) -> Iterator[None]:
    """Peak memory of a process and its children, sampled five times a second."""
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.2):
            try:
                root = psutil.Process(process.pid)
                tree = [root, *root.children(recursive=True)]
                usage.peak_mb = max(usage.peak_mb, sum(one.memory_info().rss for one in tree) / 2**20)
            except psutil.Error:
                continue

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def _end(process: subprocess.Popen[Any]) -> None:
    root = psutil.Process(process.pid)
    for one in (*root.children(recursive=True), root):
        with suppress(psutil.NoSuchProcess):
            one.kill()
    process.communicate()


def _run(command: list[str], usage: Usage, environment: Mapping[str, str], patience_s: float) -> None:
    """Run a program to its end and add its time to `usage`."""
    before, started = os.times(), time.perf_counter()
    process = subprocess.Popen(
        command,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    with _watched(process, usage):
        try:
            _, errors = process.communicate(timeout=patience_s)
        except subprocess.TimeoutExpired:
            _end(process)
            raise
    after = os.times()
    usage.wall_s += time.perf_counter() - started
    usage.cpu_s += after.children_user - before.children_user + after.children_system - before.children_system
    if process.returncode not in {0, 1}:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}: {errors[-400:]}")


@dataclass(slots=True, kw_only=True)
class Peer:
    """A program: how to set it up, how to start a fetch, and how to count what it stored."""

    name: str
    first: list[list[str]]
    refresh: list[list[str]]
    stored: Callable[[], int]
    environment: dict[str, str] = field(default_factory=dict)
    database: psutil.Process | None = None
    """The database server, if it is a process of its own."""
    stack: ExitStack = field(default_factory=ExitStack)
    """Closed when the program has been measured."""


def _count(file: Path, query: str) -> Callable[[], int]:
    def count() -> int:
        connection = sqlite3.connect(file)
        try:
            return int(connection.execute(query).fetchone()[0])
        finally:
            connection.close()

    return count


def _inforadar(folder: Path, urls: list[str]) -> Peer:
    opml = folder / "feeds.opml"
    lines = "".join(f'<outline type="rss" text="{url}" xmlUrl="{url}"/>\n' for url in urls)
    opml.write_text(f'<opml version="2.0"><head/><body>{lines}</body></opml>')
    program = [sys.executable, "-m", "inforadar"]
    once = [*program, "worker", "--once", "--stages", "collect"]
    return Peer(
        name="Info Radar",
        first=[[*program, "opml", "import", str(opml)], once],
        refresh=[once],
        stored=_count(folder / "inforadar.db", "SELECT count(*) FROM items"),
        environment={
            "INFORADAR_HOME": str(folder),
            "FETCHER_ALLOWED_NETWORKS": "127.0.0.0/8",
            "FETCHER_DOMAIN_DELAY": "0",
            "FETCHER_SUCCESS_INTERVAL": "0",
            "FETCHER_WORKERS": "50",
            "FETCHER_BATCH_SIZE": str(len(urls)),
            "INFORADAR_LOG_LEVEL": "error",
        },
    )


def _inforadar_postgresql(folder: Path, urls: list[str]) -> Peer:
    peer, stack = _inforadar(folder, urls), ExitStack()
    url, server = stack.enter_context(database("postgresql", folder))

    def count() -> int:
        async def ask() -> int:
            async with open_database(url) as opened:
                return await opened.read(
                    lambda c: int(c.execute(text("SELECT count(*) FROM items")).scalar_one())
                )

        return asyncio.run(ask())

    return replace(
        peer,
        name="Info Radar, PostgreSQL",
        # SQLite's database is made by the first command.
        first=[[sys.executable, "-m", "inforadar", "db", "upgrade"], *peer.first],
        stored=count,
        environment=peer.environment | {"DATABASE_URL": url},
        database=server,
        stack=stack,
    )


def _newsboat(folder: Path, urls: list[str]) -> Peer | None:
    if not shutil.which("newsboat"):
        return None
    (folder / "urls").write_text("\n".join(urls))
    (folder / "config").write_text("reload-threads 8\nmax-items 0\ncleanup-on-quit no\n")
    files = ["-u", str(folder / "urls"), "-c", str(folder / "cache.db"), "-C", str(folder / "config")]
    reload = ["newsboat", "-q", *files, "-x", "reload"]
    return Peer(
        name="newsboat",
        first=[reload],
        refresh=[reload],
        stored=_count(folder / "cache.db", "SELECT count(*) FROM rss_item"),
        environment={"HOME": str(folder), "TERM": "dumb"},
    )


def _sfeed(folder: Path, urls: list[str]) -> Peer | None:
    if not shutil.which("sfeed_update"):
        return None
    stored, tags = folder / "feeds", folder / "etags"
    stored.mkdir()
    tags.mkdir()
    feeds = "\n".join(f'feed "f{number:06d}" "{url}"' for number, url in enumerate(urls))
    (folder / "sfeedrc").write_text(
        f'sfeedpath="{stored}"\nmaxjobs=8\nfetch() {{\n  tag="{tags}/$(basename "$3")"\n'
        '  curl -L --max-redirs 0 -f -s -m 15 --etag-save "$tag" --etag-compare "$tag" "$2" 2>/dev/null\n}\n'
        f"feeds() {{\n{feeds}\n}}\n"
    )
    update = ["sfeed_update", str(folder / "sfeedrc")]
    return Peer(
        name="sfeed",
        first=[update],
        refresh=[update],
        stored=lambda: sum(file.read_text().count("\n") for file in stored.iterdir()),
    )


def _reader(folder: Path, urls: list[str]) -> Peer | None:
    python = _VENV / "bin" / "python"
    if not _has(python, "reader"):
        return None
    (folder / "urls.txt").write_text("\n".join(urls))
    database = folder / "reader.db"
    # Without -P, the benchmark of our own reader API would be imported in its place.
    script = str(_ROOT / "bench" / "peer_reader.py")
    step = [str(python), "-P", script, str(database), str(folder / "urls.txt")]
    return Peer(
        name="lemon24/reader",
        first=[[*step, "first"]],
        refresh=[[*step, "refresh"]],
        stored=_count(database, "SELECT count(*) FROM entries"),
    )


def _scrapy(folder: Path, urls: list[str]) -> Peer | None:
    python = _VENV / "bin" / "python"
    if not _has(python, "scrapy"):
        return None
    (folder / "urls.txt").write_text("\n".join(urls))
    database = folder / "scrapy.db"
    crawl = [str(python), str(_ROOT / "bench" / "peer_scrapy.py"), str(folder / "urls.txt"), str(database)]
    return Peer(
        name="Scrapy + feedparser",
        first=[crawl],
        refresh=[crawl],
        stored=_count(database, "SELECT count(*) FROM entries"),
    )


def _rss2email(folder: Path, urls: list[str]) -> Peer | None:
    program = _VENV / "bin" / "r2e"
    if not program.exists():
        return None
    config, data = folder / "r2e.cfg", folder / "r2e.json"
    feeds = "".join(f"[feed.f{number:06d}]\nurl = {url}\n\n" for number, url in enumerate(urls))
    config.write_text(f"[DEFAULT]\nfrom = a@example.org\nto = a@example.org\n\n{feeds}")
    run = [str(program), "-c", str(config), "-d", str(data), "run", "--no-send"]

    def seen() -> int:
        return sum(len(feed.get("seen", {})) for feed in json.loads(data.read_text())["feeds"])

    return Peer(
        name="rss2email (ids only)",
        first=[run],
        refresh=[run],
        stored=seen,
        environment={"HOME": str(folder)},
    )


PEERS: dict[str, Callable[[Path, list[str]], Peer | None]] = {
    "inforadar": _inforadar,
    "inforadar-postgresql": _inforadar_postgresql,
    "newsboat": _newsboat,
    "sfeed": _sfeed,
    "scrapy": _scrapy,
    "reader": _reader,
    "rss2email": _rss2email,
}


def _has(python: Path, module: str) -> bool:
    return (
        python.exists()
        and subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode
        == 0
    )


def install() -> None:
    """Install the peers, as far as possible."""
    if not (_VENV / "bin" / "python").exists():
        venv.create(_VENV, with_pip=True)
    for package in _FROM_INDEX:
        command = [
            _VENV / "bin" / "python",
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            package,
        ]
        if subprocess.run(command, check=False, capture_output=True).returncode:
            print(f"{package} cannot be installed from the package index here; left out.")
    missing = [name for name in _FROM_DEBIAN if not shutil.which("sfeed_update" if name == "sfeed" else name)]
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing],
            check=False,
            capture_output=True,
        )


def _measure(name: str, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Run all steps of one program, with a farm of its own."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="inforadar-peers-") as folder_name:
        folder = Path(folder_name)
        farm = Farm(
            folder / "www",
            feeds=arguments.feeds,
            entries=arguments.entries,
            hosts=arguments.hosts,
            port=free_port(),
        )
        (folder / "peer").mkdir()
        peer = PEERS[name](folder / "peer", farm.urls())
        if peer is None:
            print(f"{name} is not installed; left out.")
            return []
        with peer.stack, serve(farm, folder / "nginx", with_log=True) as server:

            def step(label: str, commands: list[list[str]]) -> None:
                rows.append(_step(label, commands, peer, farm, server, arguments.patience))

            try:
                step("a", peer.first)
                for _ in range(2):  # newsboat sends validators only from its third run on
                    step("b", peer.refresh)
                farm.touch(0.1, 3)
                time.sleep(_WAIT_FOR_NGINX_S)
                step("c", peer.refresh)
            except subprocess.TimeoutExpired:
                label = "abbc"[len(rows)]
                rows.append({"peer": peer.name, "step": label, "gave_up_s": arguments.patience})
                print(f"{peer.name:<24}{label:<3} did not end within {arguments.patience:.0f} s", flush=True)
    return rows


def _step(
    label: str, commands: list[list[str]], peer: Peer, farm: Farm, server: Server, patience_s: float
) -> dict[str, Any]:
    server.forget()
    usage, database_s = Usage(), tree_cpu_s(peer.database)
    for command in commands:
        _run(command, usage, peer.environment, patience_s)
    usage.cpu_s += tree_cpu_s(peer.database) - database_s
    answers = server.answers()
    total = sum(answers.values()) - answers["robots.txt"]
    row = {
        "peer": peer.name,
        "step": label,
        "wall_s": round(usage.wall_s, 3),
        "cpu_s": round(usage.cpu_s, 3),
        "peak_mb": round(usage.peak_mb),
        "stored": peer.stored(),
        "expected": farm.expected,
        "requests_a_feed": round(total / farm.feeds, 3),
        "unchanged_sent_again": answers["200"] if label == "b" else 0,
        "robots": answers["robots.txt"],
        "load": os.getloadavg()[0],
    }
    print(
        f"{row['peer']:<24}{label:<3}{row['wall_s']:>9.2f}{row['cpu_s']:>9.2f}{row['peak_mb']:>7}"
        f"{row['stored']:>9}/{row['expected']}{row['requests_a_feed']:>8}{row['unchanged_sent_again']:>8}",
        flush=True,
    )
    return row


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench peers", description=__doc__)
    parser.add_argument("--feeds", type=int, default=1000)
    parser.add_argument("--entries", type=int, default=30)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--patience", type=float, default=280.0, help="seconds for each command of a program")
    parser.add_argument("--only", default=",".join(PEERS))
    arguments = parser.parse_args(argv)
    unknown = set(arguments.only.split(",")) - PEERS.keys()
    if unknown:
        print(f"No such peer: {', '.join(sorted(unknown))}. There are: {', '.join(PEERS)}.", file=sys.stderr)
        return 2
    install()
    print(
        f"{'peer':<24}{'':<3}{'wall s':>9}{'CPU s':>9}{'MB':>7}{'stored/expected':>16}{'req/feed':>8}{'200 in b':>8}"
    )
    _RESULTS.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    machine = {"python": platform.python_version(), "cpus": os.cpu_count(), "machine": platform.machine()}
    file = _RESULTS / f"peers-{arguments.feeds}-{now:%Y%m%dT%H%M%S}.json"
    rows = []
    for name in arguments.only.split(","):
        try:
            rows += _measure(name, arguments)
        except (RuntimeError, OSError, sqlite3.Error) as fault:
            print(f"{name} failed: {fault}")
        # Written after each peer: with very many feeds some take very long, and one may want to stop.
        file.write_text(json.dumps({"at": now.isoformat(), "machine": machine, "rows": rows}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
