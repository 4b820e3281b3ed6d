"""robots.txt for requests of pages, listings and sitemaps (P13): stored with the host, fetched once a day.

Fetching it is a request like any other and takes a turn of its host: the caller uses its turn for `refresh` and takes
another one for its own request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context, copy_context
from datetime import datetime, timedelta

from inforadar.errors import InvalidUrlError
from inforadar.fetch.engine import Engine
from inforadar.fetch.pace import keep_worker, step_aside
from inforadar.fetch.robots import (
    ALLOW_ALL,
    ALLOW_NOTHING,
    RobotsAccess,
    RobotsRules,
    parse_robots,
    robots_from_result,
    robots_request,
)
from inforadar.model.http import Failed, FailureReason
from inforadar.store.database import Database
from inforadar.store.hosts.queries import StoredRobots, load_robots
from inforadar.store.hosts.save import save_robots
from inforadar.urls import host_key

MAX_AGE = timedelta(hours=24)
MAX_AGE_UNREACHABLE = timedelta(minutes=30)
MAX_KEPT_BYTES = 16 * 2**20
"""The rules that are kept in memory; the host added longest ago is dropped first. Most files are small, but a site that
answers under many names could give each of them 40,000 rules."""


def _nobodys() -> Context:
    """A context in which a request belongs to no dispatch: jobs of several dispatches may wait for it.

    A dispatch that stops cancels whatever waits for a host's turn on its behalf.
    """
    context = copy_context()
    context.run(step_aside.set, keep_worker)
    return context


class Robots:
    """The rules of every host, from memory, from the database, or from the host itself."""

    def __init__(
        self, *, engine: Engine, database: Database, user_agent: str, now: Callable[[], datetime]
    ) -> None:
        self._engine = engine
        self._database = database
        self._user_agent = user_agent
        self._now = now
        self._known: dict[str, tuple[RobotsRules, datetime]] = {}
        self.kept_bytes = 0
        """About what the known rules take."""
        self._faults: dict[str, Failed] = {}
        self._asking: dict[str, asyncio.Future[RobotsRules]] = {}

    async def rules_for(self, url: str) -> RobotsRules | None:
        """The rules that apply to `url`; None if its host's robots.txt has to be fetched first."""
        host = host_key(url)
        known = self._known.get(host)
        if known is None and (stored := await self._database.read(load_robots, host)):
            revived = self._revive(stored, url)
            if (revived.crawl_delay_s or 0.0) > self._engine.pacer.delay_of(host):
                # Just saved, by another process or another job of ours: the pacer does not know the delay yet.
                await self._engine.pacer.refresh()
            known = self._keep(host, revived, stored.at)
        if known is None:
            return None
        rules, at = known
        max_age = MAX_AGE_UNREACHABLE if rules.access is RobotsAccess.NONE else MAX_AGE
        return rules if self._now() - at < max_age else None

    async def rules_ahead(self, url: str) -> RobotsRules | Failed:
        """The rules for the target of a redirect; if they have to be fetched, that takes a separate turn.

        `Failed` means that this turn is too far away to wait for.
        """
        if rules := await self.rules_for(url):
            return rules
        if refusal := await self._engine.take_turn(url):
            return refusal
        try:
            # Another job may have fetched them while this one waited for its turn.
            return await self.rules_for(url) or await self.refresh(url)
        finally:
            self._engine.give_turn_back(url)

    def fault_of(self, url: str) -> Failed | None:
        """Why the host's robots.txt could not be fetched, if this process tried."""
        return self._faults.get(host_key(url))

    async def refresh(self, url: str) -> RobotsRules:
        """Fetch the rules, using the turn that the caller holds. Concurrent callers share one request."""
        host = host_key(url)
        asking = self._asking.get(host)
        if asking is None:
            asking = self._asking[host] = asyncio.create_task(self._ask(host, url), context=_nobodys())
            asking.add_done_callback(lambda _: self._asking.pop(host, None))
        return await asyncio.shield(asking)

    async def _ask(self, host: str, url: str) -> RobotsRules:
        before = self._known.get(host)
        try:
            request = robots_request(url)
        except InvalidUrlError:
            # A URL stored by an earlier version may be invalid: the request itself fails with the same error.
            return ALLOW_ALL
        result = await self._engine.fetch(request)
        at = self._now()
        self._faults.pop(host, None)
        if isinstance(result, Failed):
            self._faults[host] = result
            if result.reason is FailureReason.GUARD:
                # No request was made, so nothing is known of the host: the request itself reports the guard.
                return self._keep(host, ALLOW_ALL, at)[0]
        rules = robots_from_result(result, self._user_agent, before[0] if before else None)
        stored = StoredRobots(access=rules.access.value, text=rules.text, at=at)
        await self._database.write(save_robots, host, stored, rules.crawl_delay_s)
        if rules.crawl_delay_s:
            await self._engine.pacer.refresh()
        # Last: a job that finds the rules here must meet their delay as well.
        return self._keep(host, rules, at)[0]

    def _revive(self, stored: StoredRobots, url: str) -> RobotsRules:
        match RobotsAccess(stored.access):
            case RobotsAccess.RULES:
                return parse_robots(stored.text, self._user_agent, robots_request(url).url)
            case RobotsAccess.ALL:
                return ALLOW_ALL
            case RobotsAccess.NONE:
                return ALLOW_NOTHING

    def _keep(self, host: str, rules: RobotsRules, at: datetime) -> tuple[RobotsRules, datetime]:
        self._drop(host)
        while self._known and self.kept_bytes + rules.weight > MAX_KEPT_BYTES:
            oldest = next(iter(self._known))
            self._drop(oldest)
            self._faults.pop(oldest, None)
        self._known[host] = (rules, at)
        self.kept_bytes += rules.weight
        return rules, at

    def _drop(self, host: str) -> None:
        if known := self._known.pop(host, None):
            self.kept_bytes -= known[0].weight
