"""Visiting a site: one request after the other, each in its host's turn, and only where robots.txt lets us (P13).

That goes for where a redirect leads as well: else a site could send us past the rules of another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from inforadar.fetch.engine import Engine, turn_too_far
from inforadar.fetch.robots import RobotsAccess, RobotsRules
from inforadar.model.http import Failed, FailureReason, FetchResult, Outcome, Request
from inforadar.pipeline.robots import Robots
from inforadar.urls import host_key, hostname


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsRefusal(Failed):
    """A request that was not made because of a site's robots.txt."""

    site: str
    """The host whose robots.txt it is: after a redirect another than that of `url`."""
    is_unreachable: bool
    """The robots.txt could not be had. False: its rules ask us to stay away."""
    fault: Failed | None = None
    """Why it could not be had, if that is known."""


class Visitor:
    """One visit of one job: `async with Visitor(…) as visitor`.

    Whoever started the job holds the turn of its host and gives it back at the end. A turn that is spent is given
    back when the next one is needed, not before: so a job never gives back what is somebody else's by then.
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
        """`host` is "" for a job that holds no turn.

        `is_spent`: the turn that the job came with was used before. `has_one_turn`: the job does not wait for further
        turns of a host that has a delay; whoever gave it the first gives out the next.
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
        """None: robots.txt allows `url`, and the host's turn is ours for one request: `fetch_admitted`.

        `RobotsRefusal`: robots.txt does not allow it. Another `Failed`: the turn is too far away for a job to wait.
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
        # A site may lead everybody astray for an hour, to a page that says so: no reason never to come back.
        return replace(self._refusal(url, rules), outcome=Outcome.TEMPORARY_ERROR)

    async def _spend_turn(self, url: str) -> Failed | None:
        host = host_key(url)
        if self._held != host or self._is_spent:
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
            self._engine.pacer.done(self._held)
            self._held = None

    def _refusal(self, url: str, rules: RobotsRules) -> RobotsRefusal:
        site, is_unreachable = hostname(url), rules.access is RobotsAccess.NONE
        # If it cannot be had, it is the host that is away, not its rules that are strict.
        fault = self._robots.fault_of(url) if is_unreachable else None
        if is_unreachable:
            why = f" {fault.message}" if fault else ""
            message = f"The robots.txt of {site} cannot be had for now.{why}"
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
