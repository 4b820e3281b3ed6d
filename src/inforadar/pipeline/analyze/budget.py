"""The daily budget: money is set aside before a request is sent and settled when the answer arrives.

The amount set aside is booked as spent in the database, in the same transaction that checks the limit, so any number
of workers together stay within it. If a process dies, its request stays booked at its maximum cost, because the vendor
may have charged for it; a cancelled request is settled at its maximum for the same reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from inforadar.model.ids import FeedId
from inforadar.stages.analyze.base import Usage
from inforadar.store.analyses.queries import Spent
from inforadar.store.analyses.spending import add_spent, reserve_spending, settle_spending
from inforadar.store.database import Database


class Budget:
    """The budget of all requests of this process. A limit of 0 means no limit: spending is only recorded."""

    def __init__(self, database: Database, limit: float, now: Callable[[], datetime]) -> None:
        self._database = database
        self._limit = limit
        self._now = now
        self._under_way = 0
        self._change = asyncio.Condition()

    def purse(self, model: str, feed_id: FeedId) -> FeedPurse:
        return FeedPurse(budget=self, model=model, feed_id=feed_id, day=self._now().astimezone(UTC).date())

    async def set_aside(self, purse: FeedPurse, cost: float) -> str | None:
        if not self._limit:
            return None
        if cost > self._limit:
            return (
                f"One request to {purse.model} may cost ${cost:.4f}, more than the daily budget of "
                f"${self._limit:g}. AI_DAILY_BUDGET raises it; AI_INPUT_TOKENS and AI_OUTPUT_TOKENS make it cheaper."
            )
        booking = purse.booking(Usage(cost=cost))
        async with self._change:
            # Requests in flight usually turn out cheaper than the amount set aside for them.
            while (spent := await self._reserve(booking)) is not None:
                if not self._under_way:
                    return (
                        f"The daily budget of ${self._limit:g} is used up: ${spent:.4f} is spent, and one more "
                        f"request may cost ${cost:.4f}. Analyses continue at 00:00 UTC; AI_DAILY_BUDGET raises it."
                    )
                await self._change.wait()
            self._under_way += 1
        return None

    async def _reserve(self, booking: Spent) -> float | None:
        """Book the cost, or return what is already spent. What a stop has overtaken is given back: nothing was sent."""
        reserving = asyncio.ensure_future(self._database.write(reserve_spending, booking, self._limit))
        try:
            return await asyncio.shield(reserving)
        except asyncio.CancelledError:
            if await reserving is None:
                await self._database.write(settle_spending, replace(booking, cost=-booking.cost))
            raise

    async def settle(self, purse: FeedPurse, set_aside: float, usage: Usage) -> None:
        if not self._limit:
            if usage.calls:
                await self._database.write(add_spent, purse.booking(usage))
            return
        try:
            await self._database.write(settle_spending, purse.booking(usage + Usage(cost=-set_aside)))
        finally:
            async with self._change:
                self._under_way -= 1
                self._change.notify_all()


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedPurse:
    """The budget as one feed's requests to one model see it: their spending is booked under both."""

    budget: Budget
    model: str
    feed_id: FeedId
    day: date

    async def set_aside(self, cost: float) -> str | None:
        return await self.budget.set_aside(self, cost)

    async def settle(self, set_aside: float, usage: Usage) -> None:
        await self.budget.settle(self, set_aside, usage)

    def booking(self, usage: Usage) -> Spent:
        return Spent(
            day=self.day,
            model=self.model,
            feed_id=self.feed_id,
            calls=usage.calls,
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            cost=usage.cost,
        )
