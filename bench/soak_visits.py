"""The visitors of `bench.soak`: readers, apps, people who log in, programs that listen, and strangers who try things.

Each visit comes from an address of its own and ends with its connections, as on a public server.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import quote
from uuid import uuid4

import aiohttp

_READER = "/reader/api/0"
_LIST = f"{_READER}/stream/contents/user/-/state/com.google/reading-list"
_BAD_METHODS = ("DELETE", "PATCH", "PROPFIND")
_TIMEOUT_S = 60.0


@dataclass(kw_only=True)
class Visitors:
    """Makes visits; `answers` counts what came of the requests."""

    url: str
    items: list[str]
    stories: list[str]
    feeds: list[str]
    """URLs."""
    picture: Callable[[int], str]
    """The address under which the API serves a picture of the site."""
    login: tuple[str, str]
    auth: str
    """Of the reader API."""
    dice: random.Random = field(default_factory=lambda: random.Random(1))
    answers: Counter[int] = field(default_factory=Counter)

    async def visit(self, number: int) -> None:
        """Make this many visits, a few at the same time."""
        slots = asyncio.Semaphore(6)

        async def one() -> None:
            async with slots:
                await self._visit()

        async with asyncio.TaskGroup() as group:
            for _ in range(number):
                group.create_task(one())

    async def _visit(self) -> None:
        dice = self.dice
        address = f"127.{dice.randrange(100, 200)}.{dice.randrange(250)}.{dice.randrange(1, 250)}"
        kinds: list[Callable[[aiohttp.ClientSession], Awaitable[None]]] = [
            self._read, self._read, self._app, self._program, self._person, self._listen, self._stranger,
        ]  # fmt: skip
        async with aiohttp.ClientSession(
            self.url,
            connector=aiohttp.TCPConnector(local_addr=(address, 0)),
            timeout=aiohttp.ClientTimeout(total=_TIMEOUT_S),
        ) as session:
            with suppress(aiohttp.ClientConnectionError):
                await dice.choice(kinds)(session)

    async def _ask(
        self, session: aiohttp.ClientSession, path: str, method: str = "GET", **given: object
    ) -> None:
        async with session.request(method, path, allow_redirects=False, **given) as answer:  # type: ignore[arg-type]
            await answer.read()
            self.answers[answer.status] += 1

    def _words(self) -> str:
        return self.dice.choice(("Saltmere", "harbour OR x", "京都", "case ")) + str(
            self.dice.randrange(10**5)
        )

    async def _read(self, session: aiohttp.ClientSession) -> None:
        await self._ask(session, "/")
        await self._ask(session, f"/?q={quote(self._words())}")
        await self._ask(session, f"/?source={quote(f'127.10.0.{self.dice.randrange(1, 200)}')}")
        for item in self.dice.sample(self.items, 3):
            await self._ask(session, f"/item/{item}")
        for _ in range(3):
            await self._ask(session, self.picture(self.dice.randrange(10**5)))
        if self.stories:
            await self._ask(session, f"/stories/{self.dice.choice(self.stories)}")
        await self._ask(session, "/stories")

    async def _app(self, session: aiohttp.ClientSession) -> None:
        login = {"Authorization": f"GoogleLogin auth={self.auth}"}
        until = 1_700_000_000 + self.dice.randrange(10**8)
        await self._ask(session, f"{_LIST}?n=50&ot={until % 10**6}", headers=login)
        await self._ask(session, f"{_READER}/unread-count?output=json", headers=login)
        ids = f"{_READER}/stream/items/ids?s=user/-/state/com.google/reading-list&n=1000&output=json"
        async with session.get(ids, headers=login) as answer:
            listed = (await answer.json()).get("itemRefs", [])
        form = [("i", one["id"]) for one in listed[: self.dice.randrange(1, 5)]]
        read = [*form, ("a", "user/-/state/com.google/read")]
        await self._ask(session, f"{_READER}/edit-tag", "POST", headers=login, data=read)

    async def _program(self, session: aiohttp.ClientSession) -> None:
        for feed in self.dice.sample(self.feeds, 3):
            await self._ask(session, f"/rss?url={quote(feed, safe='')}")
        await self._ask(session, f"/api/items?limit=100&min_score={self.dice.random():.4f}")
        await self._ask(session, f"/api/items/{self.dice.choice(self.items)}")
        await self._ask(session, f"/api/item?url={quote(self.dice.choice(self.feeds) + '/1', safe='')}")
        await self._ask(session, f"/feeds/search?q={quote(self._words())}")
        await self._ask(session, "/metrics")

    async def _person(self, session: aiohttp.ClientSession) -> None:
        name, password = self.login
        await self._ask(session, "/login", "POST", data={"name": name, "password": password})
        for path in (
            "/",
            "/account",
            "/rules",
            "/settings",
            "/statistics",
            "/feeds",
            "/runs",
            "/alerts",
            "/brief",
        ):
            await self._ask(session, path)
        await self._ask(session, f"/item/{self.dice.choice(self.items)}")

    async def _listen(self, session: aiohttp.ClientSession) -> None:
        """Listen to events for a moment, and hang up in the middle."""
        async with session.get(f"/api/events?since={self.dice.randrange(100)}") as answer:
            self.answers[answer.status] += 1
            with suppress(TimeoutError):
                async with asyncio.timeout(self.dice.random()):
                    while await answer.content.readany():
                        pass

    async def _stranger(self, session: aiohttp.ClientSession) -> None:
        name = f"person{self.dice.randrange(10**6)}"
        await self._ask(session, "/login", "POST", data={"name": name, "password": "wrong wrong"})
        await self._ask(session, "/login", "POST", data={"token": name * 3})
        await self._ask(session, f"/wp-login.php?{name}={'x' * self.dice.randrange(4000)}")
        await self._ask(session, f"/{name}/../../etc/passwd%00")
        await self._ask(session, f"/item/{uuid4()}")
        await self._ask(session, f"/picture/{name}?url=http://{name}.example/")
        await self._ask(session, f"/rss?url=http://{name}.example/")
        await self._ask(session, f"/{name}", self.dice.choice(_BAD_METHODS))
        await self._ask(session, "/", headers={"Host": f"{name}.example"})
        await self._ask(session, _LIST, headers={"Authorization": f"GoogleLogin auth=x/{name}"})
        await self._ask(session, "/", headers={"Accept-Language": f"{name[:2]}-{name[-2:]};q=0.{name[-1]}"})
