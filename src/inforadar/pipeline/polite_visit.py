"""Visiting a site: one request after the other, each in its host's turn, and only where robots.txt allows it (P13).

The same holds for the target of a redirect: otherwise one site could send us past the rules of another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from inforadar.fetch.engine import Engine, turn_too_far
from inforadar.fetch.pace import give_turn_back, needs_slot
from inforadar.fetch.robots import RobotsAccess, RobotsRules
from inforadar.model.http import Failed, FailureReason, FetchResult, Outcome, Request
from inforadar.pipeline.robots import Robots
from inforadar.urls import host_key, hostname


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsRefusal(Failed):
    """A request that was not made because of a site's robots.txt."""

    site: str
    """The host of that robots.txt; after a redirect it may differ from the host of `url`."""
    is_unreachable: bool
    """True if the robots.txt could not be fetched, False if its rules forbid the request."""
    fault: Failed | None = None
    """Why it could not be fetched, if that is known."""


class Visitor:
    """The requests of one job: `async with Visitor(…) as visitor`.

    The job's caller holds the turn of its first host and releases it at the end. The visitor releases a used turn
    only when it needs the next one, so it never releases a turn that belongs to another job by then.
    """

    def __init__(
        self,
        engine: Engine,
        robots: Robots,
        host: str,
        now: Callable[[], datetime],
        *,
        is_spent: bool = False,
        has_one_turn: bool = False,
    ) -> None:
        """`host` is the host whose turn the job holds, or "" if it holds none.

        `is_spent` means that this turn was already used. `has_one_turn` means that the job does not wait for further
        turns of a host with a delay: its caller assigns the next one.
        """
        self._engine = engine
        self._robots = robots
        self._now = now
        self._first = host
        self._held: str | None = host
        self._is_spent = is_spent or not host
        self._has_one_turn = has_one_turn

    async def __aenter__(self) -> Visitor:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._held not in {None, self._first}:
            self._give_back()

    async def fetch(self, request: Request) -> FetchResult:
        """Fetch in the host's turn, where robots.txt allows it."""
        return await self.admit(request.url) or await self.fetch_admitted(request)

    async def admit(self, url: str) -> Failed | None:
        """Check robots.txt and take the host's turn; None means that `fetch_admitted` may make one request.

        `RobotsRefusal` means that robots.txt forbids it, any other `Failed` that the turn is too far away to wait for.
        """
        rules = await self._robots.rules_for(url)
        if rules is None:
            if too_far := await self._spend_turn(url):
                return too_far
            rules = await self._robots.refresh(url)
        return await self._spend_turn(url) if rules.allows(url) else self._refusal(url, rules)

    async def fetch_admitted(self, request: Request) -> FetchResult:
        return await self._engine.fetch(request, may_follow=self._may_follow)

    async def _may_follow(self, url: str) -> Failed | None:
        rules = await self._robots.rules_ahead(url)
        if isinstance(rules, Failed):
            return rules
        if rules.allows(url):
            return None
        # A site may redirect everything for an hour, to a maintenance page for example: no permanent failure.
        return replace(self._refusal(url, rules), outcome=Outcome.TEMPORARY_ERROR)

    async def _spend_turn(self, url: str) -> Failed | None:
        host = host_key(url)
        if self._held != host or self._is_spent or needs_slot(self._engine.pacer, host):
            if self._has_one_turn and (delay_s := self._engine.pacer.delay_of(host)):
                return turn_too_far(url, delay_s, self._now())
            self._give_back()
            if too_far := await self._engine.take_turn(url):
                return too_far
            self._held = host
        self._is_spent = True
        return None

    def _give_back(self) -> None:
        if self._held is not None:
            give_turn_back(self._engine.pacer, self._held)
            self._held = None

    def _refusal(self, url: str, rules: RobotsRules) -> RobotsRefusal:
        site, is_unreachable = hostname(url), rules.access is RobotsAccess.NONE
        # An unreachable robots.txt means that the host is down, not that its rules are strict.
        fault = self._robots.fault_of(url) if is_unreachable else None
        if is_unreachable:
            why = f" {fault.message}" if fault else ""
            message = f"The robots.txt of {site} cannot be fetched for now.{why}"
        else:
            message = f"The robots.txt of {site} asks us to stay away from {url}."
        return RobotsRefusal(
            url=url,
            outcome=Outcome.TEMPORARY_ERROR if is_unreachable else Outcome.PERMANENT_ERROR,
            reason=FailureReason.ROBOTS,
            message=message,
            fetched_at=self._now(),
            retry_after_s=fault.retry_after_s if fault else None,
            site=site,
            is_unreachable=is_unreachable,
            fault=fault,
        )
