"""Where redirects lead: the rules of a host that many jobs meet at are asked for once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from inforadar.fetch.engine import Engine
from inforadar.fetch.robots import RobotsRules
from inforadar.model.http import Fetched, FetchResult, Request
from inforadar.pipeline.robots import Robots
from inforadar.store.database import Database


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
    def __init__(self) -> None:
        self.asked: list[str] = []

    async def fetch(self, request: Request, *, before_redirect: object = None) -> FetchResult:
        self.asked.append(request.url)
        await asyncio.sleep(0)
        return Fetched(
            url=request.url,
            final_url=request.url,
            status=200,
            headers={},
            body=b"User-agent: *\nDisallow: /private\n",
            fetched_at=datetime.now(UTC),
        )


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
