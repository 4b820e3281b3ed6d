"""What else happens while workers are harmed: articles that change, a rule with a webhook, readers with their marks.

The site has a page for every fourth article, which is edited now and then. A rule tells a webhook of everything. Two
people mark articles through the reader API of a server that is harmed as well. What the server confirmed must be
stored, and what the webhook must be told arrives: under one key, however often it is sent.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from sqlalchemy import Connection, update

from inforadar.actions.people.accounts import add_person
from inforadar.actions.people.tokens import make_app_password
from inforadar.actions.rules.manage import add_rule
from inforadar.model.person import FIRST_PERSON, Person, PersonId, Role
from inforadar.model.rule import RuleActions
from inforadar.store.database import Database
from inforadar.store.people.queries import load_person
from inforadar.store.schema.articles import articles
from inforadar.store.schema.revisions import article_looks
from inforadar.store.schema.rules import deliveries
from inforadar.store.schema.stories import story_queue
from inforadar.store.types import db_later
from inforadar.web.greader.auth import log_in
from tests.chaos.forked import end_with_parent
from tests.chaos.site import NumberedFeed
from tests.pipeline.notify.receiving import Receiver, add_hook, receiver
from tests.support.ports import free_port
from tests.support.site import Answer, Site
from tests.support.site.answers import html
from tests.support.site.documents import article_page

MIX_STAGES = "collect,canonical,group,revise"
MIX_ENVIRONMENT = {"NOTIFY_SETTLE": "0", "CANONICAL_REVISIONS_PER_HOST_DAY": "100000"}
PAGE_EVERY = 4
"""Every fourth article has a page; the others are not there."""
READ = "user/-/state/com.google/read"
READING_LIST = "user/-/state/com.google/reading-list"
_SENTENCE = (
    "The harbour board of Saltmere met on Tuesday and agreed to dredge basin {place}, which will cost {cost} crowns "
    "and take eleven weeks according to its chair, Ilse Marn. "
)


class Pages:
    """The articles of the site, each with an edition that grows."""

    def __init__(self, site: Site, random: Random) -> None:
        self._site = site
        self._random = random
        self._editions: dict[str, int] = {}

    def publish(self, feed: NumberedFeed) -> None:
        """Put up the pages of articles that are new in the feed."""
        for number in range(PAGE_EVERY, feed.version + 1, PAGE_EVERY):
            url = f"{feed.articles}/{number}"
            if url not in self._editions:
                self._editions[url] = 1
                parts = urlsplit(url)
                self._site.respond(parts.path, lambda _, url=url: self._page(url), host=parts.hostname)

    def _page(self, url: str) -> Answer:
        edition = self._editions[url]
        paragraphs = [_SENTENCE.format(place=place, cost=1000 + edition * place) * 2 for place in range(1, 5)]
        return html(article_page(title=f"Story {url[-6:]}", paragraphs=paragraphs))

    def edit(self) -> None:
        """An editor changes one of them."""
        if self._editions:
            self._editions[self._random.choice(list(self._editions))] += 1

    def edition(self, url: str) -> int:
        return self._editions.get(url, 0)


@dataclass(slots=True)
class Reader:
    """A person with an app, and the numbers of the items whose mark was confirmed."""

    person_id: PersonId
    headers: Mapping[str, str]
    confirmed: set[int] = field(default_factory=set)


class ReaderServer:
    """`inforadar api`, which may be killed at any time."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._port = free_port()
        self._environment = {**environment, "INFORADAR_PORT": str(self._port)}
        self._process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/reader/api/0"

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "inforadar",
            "api",
            env=self._environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=end_with_parent,
        )

    async def kill(self) -> None:
        if self._process and self._process.returncode is None:
            self._process.send_signal(signal.SIGKILL)
            await self._process.wait()


class Mix:
    """Everything besides the feeds."""

    def __init__(
        self, database: Database, hook: Receiver, pages: Pages, server: ReaderServer, random: Random
    ) -> None:
        self.hook = hook
        self.pages = pages
        self.server = server
        self.readers: list[Reader] = []
        self._database = database
        self._random = random
        self._reading: asyncio.Task[None] | None = None

    async def prepare(self) -> None:
        """A second account, an app password for each, a channel and a rule that finds everything."""
        second = await add_person(self._database, "Second", Role.READER, None, datetime.now(UTC))
        for person_id in (FIRST_PERSON, second.id):
            person = await self._database.read(load_person, person_id)
            assert isinstance(person, Person)
            password, _ = await make_app_password(self._database, person_id, "chaos")
            caller = await log_in(self._database, person.name, password)
            assert caller is not None
            headers = {"Authorization": f"GoogleLogin auth={caller.auth}"}
            self.readers.append(Reader(person_id, headers))
        await add_hook(self._database, self.hook.url, limit=100_000)
        await add_rule(self._database, FIRST_PERSON, "All", "Article", RuleActions(notify=("hook",)))
        await self.server.start()
        self._reading = asyncio.create_task(self._read_on())

    async def close(self) -> None:
        if self._reading:
            self._reading.cancel()
            with suppress(asyncio.CancelledError):
                await self._reading
        await self.server.kill()

    async def _read_on(self) -> None:
        """People read and mark for as long as it lasts; whatever fails is tried again, as an app does."""
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)) as session:
            while True:
                with suppress(aiohttp.ClientError, TimeoutError):
                    await self._mark_some(session, self._random.choice(self.readers))
                await asyncio.sleep(0.1)

    async def _mark_some(self, session: aiohttp.ClientSession, reader: Reader) -> None:
        asked = {"s": READING_LIST, "xt": READ, "n": "20", "output": "json"}
        listing = session.get(f"{self.server.url}/stream/items/ids", params=asked, headers=reader.headers)
        async with listing as answer:
            if answer.status != 200:
                return
            listed: dict[str, Any] = await answer.json()
        numbers = [int(one["id"]) for one in listed.get("itemRefs", ())][:5]
        form = [("i", str(number)) for number in numbers] + [("a", READ)]
        if not numbers:
            return
        async with session.post(f"{self.server.url}/edit-tag", data=form, headers=reader.headers) as answer:
            if answer.status == 200:
                reader.confirmed.update(numbers)


def expire_other_leases(connection: Connection, *, wait: bool = False) -> None:
    """As if the leases of articles, stories, looks and deliveries had run out; and everything is due."""
    past = db_later(-1.0)
    for table, key, due in (
        (articles, articles.c.uid, "next_attempt_at"),
        (story_queue, story_queue.c.item_id, "due_at"),
        (article_looks, article_looks.c.uid, "due_at"),
        (deliveries, deliveries.c.id, "next_attempt_at"),
    ):
        leased = table.select().with_only_columns(key).where(table.c.lease_token.is_not(None)).order_by(key)
        keys = connection.execute(leased.with_for_update(skip_locked=not wait)).scalars().all()
        ended = update(table).where(key.in_(keys)).values({"locked_until": past, due: past})
        connection.execute(ended)


def ask_for_looks(connection: Connection) -> None:
    """Everything that is watched is due for a look."""
    looks = article_looks.c
    connection.execute(update(article_looks).where(looks.lease_token.is_(None)).values(due_at=db_later(-1.0)))


@asynccontextmanager
async def open_mix(
    database: Database, environment: Mapping[str, str], site: Site, random: Random
) -> AsyncIterator[Mix]:
    async with AsyncExitStack() as stack:
        hook = await stack.enter_async_context(receiver())
        mix = Mix(database, hook, Pages(site, random), ReaderServer(environment), random)
        stack.push_async_callback(mix.close)
        await mix.prepare()
        yield mix
