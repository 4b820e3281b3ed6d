"""Sitemaps: parsing speed, memory, and the savings of a second run.

    python -m bench sitemap [--urls 50000] [--million] [--peers PYTHON] [--database sqlite|postgresql]

Parsing speed is CPU time, alternating with bare expat (empty handlers) on the same bytes, the median of five rounds.
`--peers` names the Python of an environment with ultimate-sitemap-parser. The second run is the worker's, over loopback
without a delay, on a site that did not change; full mode is the flow without its state. PostgreSQL's CPU is counted
too.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import logging
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from xml.parsers import expat

import psutil
import structlog

from bench.farm import database, tree_cpu_s
from inforadar.app.store import open_store
from inforadar.app.worker import open_worker
from inforadar.config import Settings, load_settings
from inforadar.embed.sitemap_rss import create_rss_items, fetch_sitemap, generate_rss_xml
from inforadar.embed.sitemap_run import everything, find_titles
from inforadar.embed.sitemap_visit import open_sitemap_visit
from inforadar.model.feed import FeedKind
from inforadar.pipeline.worker import Stage
from inforadar.stages.discover.sitemap.parse import SitemapReader
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed
from tests.support.site.server import Site

_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
    'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" '
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n'
)
_PEER = """
import sys, time
from usp.tree import sitemap_from_str
text = open(sys.argv[1], encoding="utf-8").read()
best = 1e9
for _ in range(3):
    began = time.process_time()
    count = sum(1 for _ in sitemap_from_str(text).all_pages())
    best = min(best, time.process_time() - began)
print(count, best)
"""
_MILLION = """
import sys
from inforadar.stages.discover.sitemap.parse import SitemapReader
def peak():
    status = open("/proc/self/status").read()
    return int(status.split("VmHWM:")[1].split()[0])
before = peak()
count = 0
for name in sys.argv[1:]:
    count += sum(1 for _ in SitemapReader(open(name, "rb").read(), "https://example.com/sitemap.xml"))
print(count, before, peak())
"""


def _plain(number: int, base: str = "https://www.example.com") -> str:
    return (
        f"  <url>\n    <loc>{base}/news/2026/11/15/article-number-{number}-about-things</loc>\n"
        f"    <lastmod>2026-11-{number % 14 + 1:02}T{number % 24:02}:05:00+00:00</lastmod>\n"
        "    <changefreq>daily</changefreq>\n    <priority>0.8</priority>\n  </url>\n"
    )


def _with_query(number: int) -> str:
    address = f"https://www.example.com/news/article.php?id={number}&amp;section=world&amp;lang=en"
    return (
        f"  <url>\n    <loc>{address}</loc>\n    <lastmod>2026-11-{number % 14 + 1:02}</lastmod>\n  </url>\n"
    )


def _rich(number: int) -> str:
    return (
        f"  <url>\n    <loc>https://www.example.com/news/2026/11/15/article-number-{number}</loc>\n"
        f"    <lastmod>2026-11-{number % 14 + 1:02}T{number % 24:02}:05:00+00:00</lastmod>\n    <news:news>\n"
        "      <news:publication><news:name>The Example</news:name><news:language>en</news:language>"
        "</news:publication>\n      <news:publication_date>2026-11-15T08:00:00Z</news:publication_date>\n"
        f"      <news:title>Something happened &amp; then {number} more</news:title>\n    </news:news>\n"
        f"    <image:image><image:loc>https://img.example.com/a/{number}.jpg</image:loc></image:image>\n"
        f"    <image:image><image:loc>https://img.example.com/b/{number}.jpg</image:loc></image:image>\n  </url>\n"
    )


def _document(entry: Callable[[int], str], urls: int, start: int = 0) -> bytes:
    return (_HEAD + "".join(map(entry, range(start, start + urls))) + "</urlset>\n").encode()


def _pieces(body: bytes) -> Iterator[bytes]:
    return (body[start : start + 65536] for start in range(0, len(body), 65536))


def _bare_expat(body: bytes) -> None:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: None
    parser.EndElementHandler = lambda name: None
    parser.CharacterDataHandler = lambda text: None
    for piece in _pieces(body):
        parser.Parse(piece, False)
    parser.Parse(b"", True)


def _ours(body: bytes) -> int:
    return sum(1 for _ in SitemapReader(body, "https://www.example.com/sitemap.xml"))


def _cpu(work: Callable[[bytes], object], body: bytes) -> float:
    began = time.process_time()
    work(body)
    return time.process_time() - began


def _speed(urls: int, peers: str | None) -> None:
    print(f"{'read, URLs/s of CPU':28}{'ours':>12}{'bare expat':>12}{'peer':>12}")
    for name, entry in (("plain", _plain), ("with a query", _with_query), ("news and two images", _rich)):
        body = _document(entry, urls)
        assert _ours(body) == urls
        rounds = [(_cpu(_ours, body), _cpu(_bare_expat, body)) for _ in range(5)]
        ours, bare = (statistics.median(side) for side in zip(*rounds, strict=True))
        peer = _peer(peers, body) if peers else None
        shown = f"{urls / peer:12,.0f}" if peer else f"{'–':>12}"
        print(f"{name:28}{urls / ours:12,.0f}{urls / bare:12,.0f}{shown}")


def _peer(python: str, body: bytes) -> float:
    with tempfile.NamedTemporaryFile(suffix=".xml") as file:
        file.write(body)
        file.flush()
        said = subprocess.run([python, "-c", _PEER, file.name], capture_output=True, text=True, check=True)
    return float(said.stdout.split()[1])


def _memory(files: int, urls: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for number in range(files):
            path = Path(folder) / f"{number}.xml.gz"
            path.write_bytes(gzip.compress(_document(_plain, urls, number * urls), 1))
            names.append(str(path))
        said = subprocess.run(
            [sys.executable, "-c", _MILLION, *names], capture_output=True, text=True, check=True
        )
    count, before, peak = map(int, said.stdout.split())
    print(f"{count:,} URLs in {files} gzip files: {peak / 1024:.0f} MB at most, {before / 1024:.0f} before")


async def _second_run(urls: int, kind: str) -> None:
    async with Site() as site:
        rows = "".join(_plain(number, site.url("").rstrip("/")) for number in range(urls))
        text = "<p>" + "Apples are ripe and pears are not. " * 40 + "</p>"
        url = site.sitemap("/sitemap.xml", _HEAD + rows + "</urlset>", etag='"1"')
        for number in range(urls):
            site.page(
                f"/news/2026/11/15/article-number-{number}-about-things", f"<title>T{number}</title>{text}"
            )
        print(
            f"{f'a site of {urls:,} URLs, {kind}':34}{'requests':>9}{'CPU s':>8}{'s':>8}{'s at 3 s a request':>20}"
        )
        timed = partial(_timed, site)
        with tempfile.TemporaryDirectory() as home:
            async with open_sitemap_visit(_settings(Path(home), site)) as visit:
                await timed("full mode, 50 items", lambda: _full(url, visit))
        with tempfile.TemporaryDirectory() as home, database(kind, Path(home)) as (database_url, server):
            settings = _settings(Path(home), site, DATABASE_URL=database_url)
            async with (
                open_store(settings, upgrade=True) as opened,
                open_worker(settings, opened, stages=frozenset({Stage.COLLECT})) as worker,
            ):
                feed, _ = await opened.write(
                    insert_feed, url, kind=FeedKind.SITEMAP, enabled=True, polling=True
                )

                async def run() -> None:
                    await opened.write(request_feed, feed.id)
                    result, _ = await worker.collecting.claim_and_collect()
                    assert not result.errors, result.errors

                timed = partial(_timed, site, server=server)
                await timed("incremental, first (baseline 10)", run)
                await timed("incremental, nothing changed", run)
                site.sitemap("/sitemap.xml", _HEAD + rows + "</urlset>")
                await timed("… and no validators", run)
                news = _plain(urls, site.url("").rstrip("/"))
                site.page(f"/news/2026/11/15/article-number-{urls}-about-things", f"<title>New</title>{text}")
                site.sitemap("/sitemap.xml", _HEAD + rows + news + "</urlset>", etag='"2"')
                await timed("incremental, one new URL", run)


def _settings(home: Path, site: Site, **environment: str) -> Settings:
    return load_settings(home, environment).replaced(
        fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0}
    )


async def _full(url: str, visit: object) -> None:
    entries = await fetch_sitemap(url, visit.fetch)  # type: ignore[attr-defined]
    chosen = everything(entries, 50)
    by_url = {entry.url: entry for entry in entries}
    titles, *_ = await find_titles(by_url, chosen.todo, visit.title_of, visit.known_titles)  # type: ignore[attr-defined]
    generate_rss_xml(create_rss_items([by_url[one] for one in chosen.todo], titles), sitemap_url=url)


async def _timed(
    site: Site, name: str, work: Callable[[], Awaitable[None]], *, server: psutil.Process | None = None
) -> None:
    site.requests.clear()
    began, cpu = time.perf_counter(), _all_cpu() + tree_cpu_s(server)
    await work()
    spent, used = time.perf_counter() - began, _all_cpu() + tree_cpu_s(server) - cpu
    asked = len(site.requests)
    print(f"{name:34}{asked:9}{used:8.2f}{spent:8.2f}{spent + 3 * max(asked - 1, 0):20.0f}")


def _all_cpu() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--urls", type=int, default=50_000)
    parser.add_argument("--million", action="store_true", help="measure the memory for a million URLs")
    parser.add_argument("--peers", metavar="PYTHON")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    given = parser.parse_args(argv)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    _speed(given.urls, given.peers)
    _memory(20 if given.million else 4, 50_000)
    asyncio.run(_second_run(given.urls, given.database))
    return 0
