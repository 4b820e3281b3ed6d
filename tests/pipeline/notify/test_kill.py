"""The outbox under `kill -9`: every match arrives, whatever the moment of the kill."""

from __future__ import annotations

import asyncio
import sys

from sqlalchemy import func, select, update

from inforadar.actions.rules.manage import add_rule
from inforadar.model.person import FIRST_PERSON
from inforadar.model.rule import DeliveryState, RuleActions
from inforadar.store.database import Database
from inforadar.store.schema.rules import deliveries, events, notifications, rule_matches
from inforadar.store.types import db_later
from tests.pipeline.notify.receiving import add_hook, known_feed, notifier, publish, receiver
from tests.store.making import count
from tests.support.paths import TESTS

RULES = 12


async def _wait_for(reached, timeout_s: float = 30) -> None:  # type: ignore[no-untyped-def]
    async with asyncio.timeout(timeout_s):
        while not await reached():
            await asyncio.sleep(0.005)


async def test_no_match_is_lost_when_the_sender_is_killed(database: Database, database_url: str) -> None:
    feed = await known_feed(database)
    async with receiver() as hook:
        await add_hook(database, hook.url, limit=1000)
        for number in range(RULES):
            await add_rule(
                database, FIRST_PERSON, f"R{number}", f"ferry{number}", RuleActions(notify=("hook",))
            )
        await publish(database, feed, **{f"n{n}": f"Ferry{n}" for n in range(RULES)})

        async def matched() -> bool:
            return await count(database, rule_matches) > 0

        async def some_arrived() -> bool:
            return len(hook.requests) >= 3

        # Killed once about when the rules are evaluated, and once while messages are on their way.
        for reached, hangs in ((matched, False), (some_arrived, True)):
            hook.hangs = hangs
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "tests.pipeline.notify.notifying_process",
                database_url,
                cwd=TESTS.parent,
            )
            try:
                await _wait_for(reached)
            finally:
                process.kill()
                await process.wait()
        hook.hangs = False
        await database.write(
            lambda c: c.execute(
                update(deliveries)
                .where(deliveries.c.next_attempt_at.is_not(None))
                .values(locked_until=None, next_attempt_at=db_later(-1.0))
            )
        )
        async with notifier(database) as stage:
            await stage.run_once()
    told = {item["url"] for body in hook.bodies for item in body["items"]}
    assert told == {f"https://example.com/n{n}" for n in range(RULES)}
    assert {headers["webhook-id"] for headers, _ in hook.requests} == {
        f"msg_{id_.hex}" for id_ in await _delivery_ids(database)
    }
    sent = select(func.count()).where(deliveries.c.state == DeliveryState.SENT.value)
    assert await database.read(lambda c: c.execute(sent).scalar_one()) == RULES
    waiting = select(func.count()).select_from(notifications).where(notifications.c.due_at.is_not(None))
    assert await database.read(lambda c: c.execute(waiting).scalar_one()) == 0
    unnumbered = select(func.count()).select_from(events).where(events.c.number.is_(None))
    assert await database.read(lambda c: c.execute(unnumbered).scalar_one()) == 0


async def _delivery_ids(database: Database) -> list:  # type: ignore[type-arg]
    return await database.read(lambda c: list(c.execute(select(deliveries.c.id)).scalars()))
