"""Where redirects lead: the rules of a host that many jobs meet at are asked for once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from inforadar.fetch.client import BeforeRedirect
from inforadar.fetch.engine import Engine
from inforadar.fetch.pace import SharedPacer, Unpaced
from inforadar.fetch.robots import RobotsAccess, RobotsRules
from inforadar.model.http import Fetched, FetchResult, Request
from inforadar.pipeline.dispatch import Dispatch, Ending
from inforadar.pipeline.polite_visit import Visitor
from inforadar.pipeline.robots import MAX_KEPT_BYTES, Robots
from inforadar.store.database import Database
from inforadar.store.hosts.queries import StoredRobots
from inforadar.store.hosts.save import save_robots
from inforadar.urls import host_key


class OneAtATime:
    """A slot for each host, free again as soon as the request in it ended."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def delay_of(self, host: str) -> float:
        return 0.001

    async def reserve(self, hosts: Sequence[str]) -> Mapping[str, float]:
        waits = {host: 0.001 if host in self._taken else 0.0 for host in hosts}
        self._taken.update(hosts)
        return waits

    def done(self, host: str) -> None:
        self._taken.discard(host)

    async def pause(self, host: str, seconds: float, reason: str) -> None:
        raise AssertionError(reason)

    def crawl_delay(self, host: str, seconds: float) -> None:
        raise AssertionError(host)


class Client:
    def __init__(self, body: bytes = b"User-agent: *\nDisallow: /private\n") -> None:
        self.asked: list[str] = []
        self.body = body

    async def fetch(self, request: Request, *, before_redirect: BeforeRedirect | None = None) -> FetchResult:
        self.asked.append(request.url)
        await asyncio.sleep(0)
        return Fetched(
            url=request.url,
            final_url=request.url,
            status=200,
            headers={},
            body=self.body,
            fetched_at=datetime.now(UTC),
        )


async def test_very_many_rules_under_many_names_do_not_fill_the_memory(database: Database) -> None:
    lines = b"".join(b"Disallow: /%d\n" % number for number in range(8_000))
    client = Client(b"User-agent: *\n" + lines)
    robots = Robots(
        engine=Engine(client, Unpaced()), database=database, user_agent="radar", now=lambda: datetime.now(UTC)
    )
    pages = [f"https://{number}.met.example/7999" for number in range(10)]
    one = (await robots.refresh(pages[0])).weight
    for page in pages[1:]:
        assert not (await robots.refresh(page)).allows(page)
    assert 10 * one > MAX_KEPT_BYTES > robots.kept_bytes > MAX_KEPT_BYTES - one
    # They are still known, from the database.
    for page in pages:
        rules = await robots.rules_for(page)
        assert rules
        assert not rules.allows(page)
    assert robots.kept_bytes <= MAX_KEPT_BYTES
    assert len(client.asked) == 10


async def test_jobs_that_wait_for_one_host_ask_for_its_robots_txt_once(database: Database) -> None:
    client = Client()
    engine = Engine(client, OneAtATime())
    robots = Robots(engine=engine, database=database, user_agent="radar", now=lambda: datetime.now(UTC))
    rules = await asyncio.gather(
        *(robots.rules_ahead(f"https://met.example/{number}") for number in range(10))
    )
    assert client.asked == ["https://met.example/robots.txt"]
    assert all(
        isinstance(one, RobotsRules) and not one.allows("https://met.example/private") for one in rules
    )


class LateDelay(OneAtATime):
    """Hosts have no delay until it is learned; then each has one slot."""

    def __init__(self) -> None:
        super().__init__()
        self.is_learned = False

    def delay_of(self, host: str) -> float:
        return 0.001 if self.is_learned else 0.0

    async def reserve(self, hosts: Sequence[str]) -> Mapping[str, float]:
        return await super().reserve(hosts) if self.is_learned else dict.fromkeys(hosts, 0.0)


async def test_a_turn_given_before_the_delay_was_known_is_worth_nothing_any_more(database: Database) -> None:
    pacer = LateDelay()
    engine = Engine(Client(), pacer)
    robots = Robots(engine=engine, database=database, user_agent="radar", now=lambda: datetime.now(UTC))
    both_started = asyncio.Barrier(2)
    inside, most = 0, 0

    async def visit(url: str) -> Ending:
        nonlocal inside, most
        await both_started.wait()
        # Meanwhile another job read in robots.txt how far apart requests shall be.
        pacer.is_learned = True
        host = "met.example:443"
        async with Visitor(engine, robots, host, lambda: datetime.now(UTC)) as visitor:
            await robots.refresh(url)
            assert await visitor.admit(url) is None
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.01)
            inside -= 1
        return Ending.DONE

    dispatch = Dispatch(pacer=pacer, workers=2, host_of=lambda _: "met.example:443", work=visit)
    async with asyncio.timeout(20):
        assert await dispatch.run(["https://met.example/1", "https://met.example/2"]) == []
    assert most == 1


class Learning:
    """A real pacer without a delay of its own, whose store the test holds in its hands."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.is_loading, self.may_load = asyncio.Event(), asyncio.Event()
        self.pacer = SharedPacer(
            delay_s=0.0,
            hold_s=60.0,
            unpaced=frozenset(),
            reserve=self._reserve,
            free=self._free,
            pause=self._pause,
            load=self._load,
            now=lambda: datetime.now(UTC),
        )

    async def _reserve(self, hosts: Sequence[str], _hold_s: float) -> Mapping[str, tuple[float, float]]:
        waits = {host: (0.001 if host in self.taken else 0.0, 0.0) for host in hosts}
        self.taken.update(hosts)
        return waits

    async def _free(self, delays: Mapping[str, float]) -> None:
        self.taken.difference_update(delays)

    async def _pause(self, host: str, _seconds: float, reason: str) -> None:
        raise AssertionError(f"{host}: {reason}")

    async def _load(self) -> tuple[Mapping[str, datetime], Mapping[str, float]]:
        self.is_loading.set()
        await self.may_load.wait()
        return {}, dict.fromkeys(HOSTS, 0.001)


HOSTS = ("met.example:443", "mirror.example:443", "other.example:443")


class Slow(Client):
    """A client for hosts that ask for a delay; it notes whose request was made in a slot of the host."""

    def __init__(self, learning: Learning) -> None:
        super().__init__()
        self.learning = learning
        self.without_slot: list[str] = []

    async def fetch(self, request: Request, *, before_redirect: BeforeRedirect | None = None) -> FetchResult:
        if host_key(request.url) not in self.learning.taken and not request.url.endswith("/robots.txt"):
            self.without_slot.append(request.url)
        fetched = await super().fetch(request)
        assert isinstance(fetched, Fetched)
        return replace(fetched, body=b"User-agent: *\nCrawl-delay: 5\n")


async def test_rules_are_not_known_before_their_crawl_delay_is_on_any_host(database: Database) -> None:
    learning = Learning()
    client = Slow(learning)
    engine = Engine(client, learning.pacer)
    robots = Robots(engine=engine, database=database, user_agent="radar", now=lambda: datetime.now(UTC))

    async def work(url: str) -> Ending:
        async with Visitor(
            engine, robots, host_key(url), lambda: datetime.now(UTC), has_one_turn=True
        ) as visitor:
            if await visitor.admit(url):
                return Ending.RETRY
            await visitor.fetch_admitted(Request(url=url))
        return Ending.DONE

    def dispatch() -> Dispatch[str]:
        return Dispatch(pacer=learning.pacer, workers=12, host_of=host_key, work=work)

    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        urls = [f"https://{host.removesuffix(':443')}" for host in HOSTS]
        tasks.create_task(dispatch().run([f"{url}/{number}" for number in range(3) for url in urls]))
        await learning.is_loading.wait()
        # robots.txt was read; the delay that it asks for is still on its way to the pacer.
        tasks.create_task(dispatch().run([f"{url}/late" for url in urls]))
        for _ in range(20):
            await asyncio.sleep(0)
        learning.may_load.set()
    asked = [url for url in client.asked if url.endswith("/robots.txt")]
    assert sorted(asked) == sorted(f"{url}/robots.txt" for url in urls)
    assert client.without_slot == []


async def test_rules_that_another_process_has_saved_come_with_their_delay(database: Database) -> None:
    learning = Learning()
    learning.may_load.set()
    robots = Robots(
        engine=Engine(Client(), learning.pacer),
        database=database,
        user_agent="radar",
        now=lambda: datetime.now(UTC),
    )
    text = "User-agent: *\nCrawl-delay: 0.001\n"
    saved = StoredRobots(access=RobotsAccess.RULES.value, text=text, at=datetime.now(UTC))
    await database.write(save_robots, HOSTS[0], saved, 0.001)
    assert learning.pacer.delay_of(HOSTS[0]) == 0.0
    assert await robots.rules_for("https://met.example/1") is not None
    assert learning.pacer.delay_of(HOSTS[0]) == 0.001


class Crowded(Unpaced):
    """Every host is free, except for one that is busy until it is told otherwise."""

    def __init__(self) -> None:
        self.is_waited_for = asyncio.Event()
        self.is_free = False

    async def reserve(self, hosts: Sequence[str]) -> Mapping[str, float]:
        if BUSY not in hosts or self.is_free:
            return dict.fromkeys(hosts, 0.0)
        self.is_waited_for.set()
        return dict.fromkeys(hosts, 0.01)


class Elsewhere(Client):
    """A client whose robots.txt is on the busy host."""

    async def fetch(self, request: Request, *, before_redirect: BeforeRedirect | None = None) -> FetchResult:
        assert before_redirect is not None
        assert await before_redirect(f"https://{BUSY.removesuffix(':443')}/robots.txt") is None
        return await super().fetch(request)


BUSY = "busy.example:443"


async def test_a_dispatch_that_stops_does_not_cancel_the_robots_txt_that_others_wait_for(
    database: Database,
) -> None:
    pacer, done = Crowded(), list[str]()
    robots = Robots(
        engine=Engine(Elsewhere(), pacer),
        database=database,
        user_agent="radar",
        now=lambda: datetime.now(UTC),
    )

    async def work(url: str) -> Ending:
        await robots.refresh(url)
        done.append(url)
        return Ending.DONE

    def dispatch() -> Dispatch[str]:
        return Dispatch(pacer=pacer, workers=1, host_of=lambda url: url, work=work)

    one, two = dispatch(), dispatch()
    async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
        tasks.create_task(one.run(["https://met.example/один"]))
        await pacer.is_waited_for.wait()
        tasks.create_task(two.run(["https://met.example/два"]))
        for _ in range(5):
            await asyncio.sleep(0)
        one.stop()
        pacer.is_free = True
    assert "https://met.example/два" in done
