"""The notify stage: evaluates rules over new events, puts matches together, and sends the messages.

Each step takes its work from the database and commits what it did, so a kill at any point loses nothing: an event
without a number is evaluated, a match without a message is put into one, a message whose lease ran out is sent again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog

from inforadar.model.ids import ItemId, StoryId
from inforadar.model.rule import ChannelId, Delivery, DeliveryState
from inforadar.pipeline.notify.senders import Sender
from inforadar.store.clock_sanity import load_clock_skew
from inforadar.store.database import Database
from inforadar.store.rules.bundle import (
    Described,
    bundle_due,
    has_due,
    load_digest_stories,
    load_due_revisions,
)
from inforadar.store.rules.deliveries import claim_deliveries, has_deliveries, save_failure, save_sent
from inforadar.store.rules.evaluate import evaluate_events, has_events
from inforadar.store.rules.note_events import PRUNED_EVENTS, prune_events

SENT_AT_ONCE = 8
PRUNE_EVERY = timedelta(hours=1)

log = structlog.get_logger()

DescribeRevision = Callable[[Database, ItemId, UUID], Awaitable[Mapping[str, Any] | None]]
"""Makes what messages say of a revision; None if it is not told any more."""
DescribeStory = Callable[[Database, StoryId, datetime], Awaitable[Mapping[str, Any] | None]]
"""Makes what digests say of a story; None if it is not shown any more."""


@dataclass(slots=True, kw_only=True)
class NotifyStage:
    database: Database
    sender: Sender
    settle: timedelta
    now: Callable[[], datetime]
    describe_revision: DescribeRevision
    describe_story: DescribeStory
    _pruned_at: datetime | None = field(default=None)
    _skew: timedelta = field(default=timedelta(0))

    def _now(self) -> datetime:
        """The database's time: with the time of a clock that is ahead, a message would wait for the others' clocks."""
        return self.now() + self._skew

    async def run_once(self) -> int:
        """Evaluate all events, then send everything that is due; return the number of messages sent."""
        await self.evaluate()
        if await self.database.read(has_due, self._now()):
            await self._bundle()
        sent = await self.send_due()
        await self._prune()
        return sent

    async def evaluate(self) -> int:
        """Evaluate rules over all new events; return their number."""
        total = 0
        self._skew = await self.database.read(load_clock_skew)
        while await self.database.read(has_events):
            number = await self.database.write(evaluate_events, self._now(), self.settle)
            total += number
            if not number:
                break
        return total

    async def _bundle(self) -> None:
        """Make messages of all matches that are due."""
        now = self._now()
        revisions = await self.database.read(load_due_revisions, now)
        stories = await self.database.read(load_digest_stories, now)
        described = Described(
            revisions={
                revision: await self.describe_revision(self.database, item, revision)
                for revision, item in revisions.items()
            },
            stories={story: await self.describe_story(self.database, story, now) for story in stories},
        )
        await self.database.write(bundle_due, now, described)

    async def send_due(self) -> int:
        """Send the messages that are due, several at once.

        A channel that failed gets no more in this pass, so one that hangs costs the others one time limit.
        """
        sent = 0
        failed: set[ChannelId] = set()
        while await self.database.read(has_deliveries):
            claimed = await self.database.write(claim_deliveries, SENT_AT_ONCE, failed)
            if not claimed:
                break
            # All come to their end before a fault of the database is raised: what was sent is sent.
            ended = await asyncio.gather(*map(self._send, claimed), return_exceptions=True)
            for delivery, result in zip(claimed, ended, strict=True):
                if isinstance(result, BaseException):
                    raise result
                if result:
                    sent += 1
                else:
                    failed.add(delivery.channel.id)
        return sent

    async def _send(self, delivery: Delivery) -> bool:
        failure = await self.sender.send(delivery)
        if failure is None:
            await self.database.write(save_sent, delivery)
            log.info("message.sent", channel=delivery.channel.name, delivery_id=str(delivery.id))
            return True
        state = await self.database.write(save_failure, delivery, failure.message, is_final=failure.is_final)
        log.warning(
            "message.given_up" if state is DeliveryState.DEAD else "message.failed",
            channel=delivery.channel.name,
            delivery_id=str(delivery.id),
            attempt=delivery.attempts,
            error=failure.message,
        )
        return False

    async def _prune(self) -> None:
        now = self.now()
        if self._pruned_at is None or now - self._pruned_at >= PRUNE_EVERY:
            self._pruned_at = now
            while await self.database.write(prune_events) == PRUNED_EVENTS:
                pass
