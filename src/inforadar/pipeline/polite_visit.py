"""Visiting a site: one request after the other, each in its host's turn, and only where robots.txt lets us (P13).

That goes for where a redirect leads as well: else a site could send us past the rules of another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from inforadar.fetch.engine import Engine
from inforadar.fetch.robots import RobotsAccess, RobotsRules
from inforadar.model.http import Failed, FailureReason, FetchResult, Outcome, Request
from inforadar.pipeline.robots import Robots
from inforadar.urls import host_key, hostname


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
    ) -> None:
        """`is_spent`: the turn that the job came with was used before."""
        self._engine = engine
        self._robots = robots
        self._now = now
        self._first = host
        self._held: str | None = host
        self._is_spent = is_spent

    async def __aenter__(self) -> Visitor:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._held not in {None, self._first}:
            self._give_back()

    async def fetch(self, request: Request) -> FetchResult:
        rules = await self.admit(request.url)
        if isinstance(rules, Failed):
            return rules
        if not rules.allows(request.url):
            return self._refused(request.url, rules)
        return await self._engine.fetch(request, may_follow=self._may_follow)

    async def admit(self, url: str) -> RobotsRules | Failed:
        """What robots.txt says of `url`. If it allows it, the host's turn is ours, for one request.

        `Failed`: that turn is too far away for a job to wait for it.
        """
        rules = await self._robots.rules_for(url)
        if rules is None:
            if refusal := await self._spend_turn(url):
                return refusal
            rules = await self._robots.refresh(url)
        if rules.allows(url) and (refusal := await self._spend_turn(url)):
            return refusal
        return rules

    async def _may_follow(self, url: str) -> Failed | None:
        rules = await self._robots.rules_ahead(url)
        if isinstance(rules, Failed):
            return rules
        if rules.allows(url):
            return None
        # A site may lead everybody astray for an hour, to a page that says so: no reason never to come back.
        return replace(self._refused(url, rules), outcome=Outcome.TEMPORARY_ERROR)

    async def _spend_turn(self, url: str) -> Failed | None:
        host = host_key(url)
        if self._held != host or self._is_spent:
            self._give_back()
            if refusal := await self._engine.take_turn(url):
                return refusal
            self._held = host
        self._is_spent = True
        return None

    def _give_back(self) -> None:
        if self._held is not None:
            self._engine.pacer.done(self._held)
            self._held = None

    def _refused(self, url: str, rules: RobotsRules) -> Failed:
        site, outcome, wait_s = hostname(url), Outcome.PERMANENT_ERROR, None
        message = f"The robots.txt of {site} asks us to stay away from {url}."
        if rules.access is RobotsAccess.NONE:
            # It is the host that is away, not its rules that are strict.
            fault = self._robots.fault_of(url)
            why, wait_s = (f" {fault.message}", fault.retry_after_s) if fault else ("", None)
            outcome, message = (
                Outcome.TEMPORARY_ERROR,
                f"The robots.txt of {site} cannot be had for now.{why}",
            )
        return Failed(
            url=url,
            outcome=outcome,
            reason=FailureReason.ROBOTS,
            message=message,
            fetched_at=self._now(),
            retry_after_s=wait_s,
        )
