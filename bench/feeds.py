"""Reading feeds: speed against feedparser and fastfeedparser, and agreement with a corpus.

    python -m bench feeds [--rounds 9] [--corpora FOLDER]

Speed is CPU time on generated feeds, with the parsers interleaved, and printed as a ratio to feedparser: other work on
the machine slows all of them alike. The corpus is a folder with `manifest.jsonl`, the documents it names, and
`gold_consensus/<tier>.json.gz`, which holds what independent parsers agree on for each document. Agreement is measured
twice: of the parser alone, and of what a reader sees, which is what the database has after the worker's own comparing
and saving. A link counts as the same if only its tracking parameters differ.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import html
import json
import random
import re
import statistics
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import fastfeedparser
import feedparser

from inforadar.errors import InvalidUrlError
from inforadar.model.http import Outcome
from inforadar.model.item import Item
from inforadar.model.run import RunKind
from inforadar.model.schedule import FinishedJob, NextRun
from inforadar.stages.diff import diff
from inforadar.stages.discover.feed.document import parse_document
from inforadar.stages.discover.feed.parse import NeedsSlowParser, parse_feed, parse_feed_slowly
from inforadar.stages.discover.feed.raw import RawFeed
from inforadar.stages.discover.feed.slow import parse_document_slowly
from inforadar.store.database import Database, open_database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.queries import list_items
from inforadar.store.leases import claim_feeds
from inforadar.store.runs.save import insert_run
from inforadar.store.upkeep.upgrade import upgrade_database
from inforadar.store.writer import save_collected
from inforadar.urls import normalize

BASE = "http://feeds.example.org/dir/feed.xml"
FIELDS = ("id", "link", "title", "published", "body", "author", "tags")

Parser = Callable[[bytes, str], Any]


def inforadar(data: bytes, url: str = "") -> dict[str, Any]:
    """Return Info Radar's result as plain data, for measuring agreement."""
    try:
        feed = parse_document(data, url)
    except NeedsSlowParser:
        feed = parse_document_slowly(data, url)
    return _plain(feed)


def _plain(feed: RawFeed) -> dict[str, Any]:
    entries = [
        {
            "id": entry.id,
            "link": entry.link,
            "title": entry.title,
            "published": _epoch(entry.published),
            "updated": _epoch(entry.updated),
            "summary": entry.summary,
            "content": entry.content,
            "author": entry.author,
            "tags": entry.tags,
        }
        for entry in feed.entries
    ]
    return {"title": feed.title, "link": feed.link, "entries": entries}


def _epoch(moment: datetime | None) -> int | None:
    return int(moment.timestamp()) if moment is not None else None


# ---- speed


def _words(dice: random.Random, count: int) -> str:
    return " ".join("".join(dice.choices("etaoinshrdlu", k=dice.randint(2, 9))) for _ in range(count))


def make_feed(entries: int, kind: str) -> bytes:
    """Make a feed like that of a news site, with about 2.5 KB of HTML per entry."""
    dice = random.Random(entries)
    parts = []
    for number in range(entries):
        link = f"https://news.example.org/2026/11/{number % 28 + 1:02}/{_words(dice, 4).replace(' ', '-')}"
        body = "".join(
            f'<p>{_words(dice, 60)} <a href="{link}?p={part}&amp;q=1">{_words(dice, 3)}</a> '
            f"&amp; {_words(dice, 20)}"
            f'<img src="/pictures/{part}.jpg" alt=""/></p>'
            for part in range(4)
        )
        title, name, tag, summary = _words(dice, 8), _words(dice, 2), _words(dice, 1), _words(dice, 40)
        day, clock = number % 28 + 1, f"{number % 24:02}:{number % 60:02}:00"
        if kind == "rss":
            parts.append(
                f"<item><title>{title} &amp; so on</title><link>{link}</link><guid "
                f"isPermaLink='false'>{number}</guid>"
                f"<pubDate>Sun, {day:02} Nov 2026 {clock} +0100</pubDate><dc:creator>"
                f"<![CDATA[{name}]]></dc:creator>"
                f"<category>{tag}</category><description><![CDATA[<p>{summary}</p>]]></description>"
                f"<content:encoded><![CDATA[{body}]]></content:encoded>"
                f"<media:content url='https://cdn.example.org/{number}.jpg' medium='image'/></item>"
            )
        else:
            parts.append(
                f"<entry><title>{title}</title><link href='{link}'/><id>tag:news.example.org,"
                f"2026:{number}</id>"
                f"<published>2026-11-{day:02}T{clock}+01:00</published><updated>"
                f"2026-11-{day:02}T{clock}Z</updated>"
                f"<author><name>{name}</name></author><category term='{tag}'/><summary>{summary}</summary>"
                f"<content type='html'>{html.escape(body, quote=False)}</content></entry>"
            )
    if kind == "rss":
        head = (
            "<?xml version='1.0' encoding='UTF-8'?><rss version='2.0' "
            "xmlns:dc='http://purl.org/dc/elements/1.1/' "
            "xmlns:content='http://purl.org/rss/1.0/modules/content/' "
            "xmlns:media='http://search.yahoo.com/mrss/'>"
            "<channel><title>News</title><link>https://news.example.org/</link><description>All of "
            "it</description>"
        )
        return f"{head}{''.join(parts)}</channel></rss>".encode()
    head = "<?xml version='1.0' encoding='utf-8'?><feed xmlns='http://www.w3.org/2005/Atom'><title>News</title><id>n</id>"
    return f"{head}{''.join(parts)}</feed>".encode()


def _feedparser(data: bytes, url: str) -> Any:
    return feedparser.parse(data, response_headers={"content-location": url}).entries


def _fastfeedparser(data: bytes, url: str) -> Any:
    # Its entries are parsed lazily.
    return [
        (entry.get("title"), entry.get("content"), entry.get("published"))
        for entry in fastfeedparser.parse(data).entries
    ]


PARSERS: dict[str, Parser] = {
    "feedparser": _feedparser,
    "fastfeedparser": _fastfeedparser,
    "inforadar": inforadar,
    "inforadar, listing": parse_feed,
}


def measure_speed(rounds: int) -> None:
    print(f"{'feed':12}" + "".join(f"{name:>30}" for name in PARSERS))
    for kind in ("rss", "atom"):
        for entries in (10, 50, 500):
            data = make_feed(entries, kind)
            times: dict[str, list[float]] = {name: [] for name in PARSERS}
            for parser in PARSERS.values():
                parser(data, BASE)
            for turn in range(rounds):
                names = list(PARSERS)
                for name in names[turn % len(names) :] + names[: turn % len(names)]:
                    start = time.process_time()
                    PARSERS[name](data, BASE)
                    times[name].append(time.process_time() - start)
            row = ""
            for name in PARSERS:
                ratio = statistics.median(
                    base / own for base, own in zip(times["feedparser"], times[name], strict=True)
                )
                row += f"{statistics.median(times[name]) * 1000:17.2f} ms {ratio:6.1f} ×"
            print(f"{kind + ' ' + str(entries):12}{row}", flush=True)


# ---- agreement

_MARKUP = re.compile(
    r"<!--.*?-->|<(script|style|iframe|object|embed|noscript|svg|math)\b.*?</\1\s*>|<[a-zA-Z/!?][^>]*>",
    re.S | re.I,
)
_EMAIL_NAME = re.compile(r"(?:mailto:)?\S+@\S+\s*\((.*)\)")
_NAME_EMAIL = re.compile(r"(.+?)\s*[(<]\s*(?:mailto:)?(?:\S+@\S+?|hidden)\s*[)>]")


def _visible(text: Any) -> str:
    seen = _MARKUP.sub(" ", str(text or ""))
    for _ in range(2):
        seen = _MARKUP.sub(" ", html.unescape(seen))
    return " ".join(seen.replace("\u200b", "").replace("\ufeff", "").split())


def _line(text: Any) -> str:
    return " ".join(html.unescape(str(text or "")).split())


def _person(text: Any) -> str:
    name = _line(text).strip(" ,;")
    match = _EMAIL_NAME.fullmatch(name) or _NAME_EMAIL.fullmatch(name)
    return (match[1].strip() or name if match else name).casefold()


def _comparable(entry: dict[str, Any]) -> dict[str, Any]:
    content, summary = _visible(entry["content"]), _visible(entry["summary"])
    published = entry["published"]
    return {
        "id": urljoin(BASE, _line(entry["id"])) if entry["id"] else "",
        "link": _line(entry["link"]),
        "title": "".join(_visible(entry["title"]).split()),
        "published": entry["updated"] if published is None else published,
        "body": content if len(content) >= len(summary) else summary,
        "author": _person(entry["author"]),
        "tags": sorted({_line(tag).casefold() for tag in entry["tags"] if _line(tag)}),
    }


def _is_same(field: str, gold: Any, own: Any) -> bool:
    if field != "body":
        return bool(gold == own)
    if "".join(gold.split()) == "".join(own.split()):
        return True
    ours, theirs = Counter(own.split()), Counter(gold.split())
    return 2 * (ours & theirs).total() >= 0.98 * (ours.total() + theirs.total())


def _pairs(
    gold: list[dict[str, Any]], own: list[dict[str, Any]]
) -> Iterator[tuple[dict[str, Any], dict[str, Any] | None]]:
    if len(gold) == len(own):
        yield from zip(gold, own, strict=True)
        return
    left = list(own)
    for entry in gold:
        keys = [key for key in ("id", "link", "title") if entry.get(key)]
        found = next((other for key in keys for other in left if other[key] == entry[key]), None)
        if found is not None:
            left.remove(found)
        yield entry, found


Entries = Callable[[bytes], list[dict[str, Any]]]


def parsed_entries(data: bytes) -> list[dict[str, Any]]:
    return [_comparable(entry) for entry in inforadar(data, BASE)["entries"]]


class Shown:
    """Entries as the database has them after a first fetch, in the document's order."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.number = 0

    async def entries(self, data: bytes) -> list[dict[str, Any]]:
        try:
            listing = parse_feed(data, BASE)
        except NeedsSlowParser:
            listing = parse_feed_slowly(data, BASE)
        self.number += 1
        url = f"http://feeds.example.org/{self.number}"
        feed, _ = await self.database.write(insert_feed, url, enabled=True, polling=True)
        (lease,) = await self.database.write(claim_feeds, [feed.id])
        at = datetime.now(UTC)
        run_id = await self.database.write(insert_run, RunKind.COLLECT, at)
        job = FinishedJob(
            lease=lease,
            run_id=run_id,
            at=at,
            outcome=Outcome.SUCCESS,
            next_run=NextRun(after_s=None),
            listed=listing.items,
        )
        await self.database.write(save_collected, [job], diff)
        found = await self.database.read(list_items, ItemFilter(feed_id=feed.id), limit=100_000)
        return [_shown(item) for item in sorted(found, key=lambda item: item.id)]


def _shown(item: Item) -> dict[str, Any]:
    link = item.link or item.url
    return _comparable(
        {
            "id": item.guid or link,
            "link": link,
            "title": html.escape(item.title or ""),
            "published": _epoch(item.dated_at),
            "updated": None,
            "summary": html.escape(item.snippet or ""),
            "content": item.content,
            "author": item.author,
            "tags": item.tags,
        }
    )


def _known_link(link: str) -> str:
    try:
        return normalize(link, BASE)
    except InvalidUrlError:
        return link


async def measure_shown(corpus: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with open_database(f"sqlite:///{folder}/shown.db") as database:
            await upgrade_database(database)
            shown = Shown(database)
            runner = asyncio.get_running_loop()
            await asyncio.to_thread(
                measure_agreement,
                corpus,
                "what a reader sees",
                lambda data: asyncio.run_coroutine_threadsafe(shown.entries(data), runner).result(),
            )


def measure_agreement(corpus: Path, title: str, read: Entries) -> None:
    print(title)
    for tier in ("real", "small"):
        path = corpus / "gold_consensus" / f"{tier}.json.gz"
        if not path.exists():
            continue
        agreed: Counter[str] = Counter()
        asked: Counter[str] = Counter()
        misses: list[str] = []
        gold = json.loads(gzip.decompress(path.read_bytes()))
        for name, answer in gold.items():
            if "error" in answer:
                continue
            try:
                own = read((corpus.parent / name).read_bytes())
            except Exception as error:
                misses.append(f"{name}: {error}")
                own = []
            entries = answer["entries"]
            if read is not parsed_entries:
                # Some documents list an entry several times; a reader is to see it once.
                keys = ("id", "link", "title", "published")
                entries = list({tuple(entry.get(key) for key in keys): entry for entry in entries}.values())
            for entry, other in _pairs(entries, own):
                for field in FIELDS:
                    value = entry.get(field)
                    if value in ("", None, []) or (field == "published" and value <= 0):
                        continue
                    if field == "link" and not value.startswith("http"):
                        continue
                    if isinstance(value, str) and "\ufffd" in value:
                        continue
                    if read is not parsed_entries and field in {"id", "link"}:
                        value = _known_link(value)
                        own_value = other and _known_link(other[field])
                    else:
                        own_value = other and other[field]
                    asked[field] += 1
                    if other is not None and _is_same(field, value, own_value):
                        agreed[field] += 1
                    else:
                        misses.append(f"{name}: {field}")
        overall = 100 * agreed.total() / max(1, asked.total())
        by_field = "  ".join(f"{field} {100 * agreed[field] / max(1, asked[field]):.2f}" for field in FIELDS)
        print(f"{tier}: {len(gold)} documents, {overall:.2f} % agreement   {by_field}")
        for miss in misses[:20]:
            print(f"   {miss}")


def main(argv: list[str]) -> int:
    options = argparse.ArgumentParser(prog="bench feeds", description="Reading feeds: speed and agreement.")
    options.add_argument(
        "--corpora", "--corpus", type=Path, help="a folder with manifest.jsonl and gold_consensus/"
    )
    options.add_argument("--rounds", type=int, default=9)
    chosen, _ = options.parse_known_args(argv)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # feedparser's own
        if chosen.rounds:
            measure_speed(chosen.rounds)
        if chosen.corpora is not None:
            corpus = chosen.corpora / "corpus" if (chosen.corpora / "corpus").is_dir() else chosen.corpora
            measure_agreement(corpus, "the parser", parsed_entries)
            asyncio.run(measure_shown(corpus))
    return 0
