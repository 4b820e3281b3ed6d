"""The sites of `bench.soak`: feeds that grow, articles that change, hosts that move, fail or are hostile, a webhook.

It listens on all of loopback, so that each round of the soak brings hosts that nobody has seen before. Nothing is
stored but a few numbers: every document is made when it is asked for.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from html import escape
from urllib.parse import urlsplit

from bench.load_hostile import KINDS
from tests.support.site.answers import Answer, html, redirect, status
from tests.support.site.documents import Entry, article_page, rss
from tests.support.site.server import render

SHOWN = 12
"""Entries in a document."""
_MOVING, _FAILING, _PAGE_EVERY = 11, 13, 3
"""Every eleventh feed is found on another host each round, every thirteenth fails in every other round, and every third
entry has a page."""
_PLACES = ("Saltmere", "Новгород", "Osterby", "京都", "Valdoria", "Kestrel Bay", "Мирный", "Lindau")
_EVENTS = (
    "agrees to dredge the harbour",
    "votes on the new budget",
    "closes the old bridge",
    "строит новый мост",
    "wins the cup after extra time",
    "raises fares by {} percent",
    "shock: you will not believe number {}",
)
_PNG = b"\x89PNG\r\n\x1a\n"


class SoakSite:
    """The state of all sites: a version for each feed, and the round."""

    def __init__(self, feeds: int, port: int) -> None:
        self.versions = [SHOWN] * feeds
        self.port = port
        self.round = 0
        self.told = 0
        """Messages that the webhook got."""

    def urls(self) -> list[str]:
        return [self._url(f"127.10.{n // 200}.{n % 200 + 1}", f"/f/{n}") for n in range(len(self.versions))]

    def hostile_urls(self) -> list[str]:
        return [self._url(f"127.11.0.{n + 1}", f"/{kind}/{n}") for n, kind in enumerate(KINDS)]

    @property
    def hook(self) -> str:
        return self._url("127.12.0.1", "/hook")

    def picture(self, number: int) -> str:
        return self._url(f"127.13.{number // 200 % 200}.{number % 200 + 1}", f"/picture/{number}")

    def grow(self, dice: random.Random, share: float) -> None:
        """Some feeds get an entry."""
        for number in range(len(self.versions)):
            self.versions[number] += dice.random() < share

    def _url(self, host: str, path: str) -> str:
        return f"http://{host}:{self.port}{path}"

    def _answer(self, method: str, path: str, headers: dict[str, str]) -> Answer:
        match path.split("/")[1:]:
            case ["f", number]:
                return self._feed(int(number), headers)
            case ["moved", _, number]:
                return self._document(int(number), headers)
            case ["a", number, entry] if int(entry) % _PAGE_EVERY == 0:
                return self._article(int(number), int(entry))
            case ["picture", number]:
                body = _PNG + random.Random(number).randbytes(1000 + int(number) % 40_000)
                return Answer(body=body, headers={"Content-Type": "image/png"})
            case ["hook"] if method == "POST":
                self.told += 1
                return status(204)
            case _:
                return status(404)

    def _feed(self, number: int, headers: dict[str, str]) -> Answer:
        if number % _FAILING == 1 and self.round % 2:
            return status(500)
        if number % _MOVING == 1:
            host = f"127.14.{self.round % 200}.{number % 200 + 1}"
            return redirect(self._url(host, f"/moved/{self.round}/{number}"), 302)
        return self._document(number, headers)

    def _document(self, number: int, headers: dict[str, str]) -> Answer:
        version = self.versions[number]
        etag = f'"{version}"'
        if headers.get("if-none-match") == etag:
            return status(304, etag=etag)
        shown = [self._entry(number, entry) for entry in range(version, version - SHOWN, -1)]
        body = rss(shown, title=f"Source {number}", link=self._url("127.0.0.1", f"/{number}"))
        return Answer(body=body.encode(), headers={"Content-Type": "application/rss+xml", "ETag": etag})

    def _entry(self, number: int, entry: int) -> Entry:
        # Some entries appear in several feeds under nearly one title: they are reports of one event.
        event = (number // 4 * 7919 + entry) % 5000
        # Hosts of articles come and go, as shorteners and platforms do.
        host = f"127.{20 + entry % 40}.{entry // 40 % 250}.{number % 250 + 1}"
        return Entry(
            url=self._url(host, f"/a/{number}/{entry}"),
            title=f"{_PLACES[event % 8]} {_EVENTS[event % 7].format(event)} {event}",
            guid=f"{number}-{entry}",
            author=f"Author {event % 50}",
            summary=f"{_PLACES[event % 8]} and {_PLACES[number % 8]}: what is known about case {event}.",
            categories=(f"topic {event % 20}",),
        )

    def _article(self, number: int, entry: int) -> Answer:
        title = self._entry(number, entry).title
        cost = entry * 1000 + (self.round if entry % 2 else 0)
        paragraphs = [
            f"The board of {escape(title)} met on Tuesday; part {part} will cost {cost + part} crowns. " * 3
            for part in range(1, 6)
        ]
        return html(article_page(title=title, paragraphs=paragraphs, image=self.picture(number)))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            while True:
                first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                method, target, _ = first.split(" ")
                parts = (line.partition(":") for line in lines if line)
                headers = {name.lower(): value.strip() for name, _, value in parts}
                await reader.readexactly(int(headers.get("content-length", 0)))
                path = urlsplit(target).path
                if hostile := KINDS.get(path.split("/")[1]):
                    await hostile(writer, path)
                    break
                writer.write(render(self._answer(method, path, headers)))
                await writer.drain()
        writer.close()


@asynccontextmanager
async def served(site: SoakSite) -> AsyncIterator[None]:
    """Serve the sites until the end; answers under way are dropped then."""
    under_way = set[asyncio.Task[None]]()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(site.serve(reader, writer))
        under_way.add(task)
        task.add_done_callback(under_way.discard)

    server = await asyncio.start_server(connected, "0.0.0.0", site.port, backlog=1024)
    try:
        yield
    finally:
        server.close()
        for task in tuple(under_way):
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
