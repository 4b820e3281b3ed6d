"""Assembles what sends messages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from inforadar.app.engine import make_guarded_client
from inforadar.app.revisions import describe_revision
from inforadar.app.stories import describe_story
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.pipeline.notify.senders import Sender
from inforadar.pipeline.notify.stage import NotifyStage
from inforadar.store.database import Database


@asynccontextmanager
async def open_sender(
    settings: Settings, database: Database, *, now: Callable[[], datetime] = utc_now
) -> AsyncIterator[Sender]:
    """Open a sender on a client with the guard that feeds are fetched with."""
    async with await make_guarded_client(settings, database) as client:
        yield Sender(
            client=client,
            timeout_s=settings.notify.timeout,
            apprise_schemes=settings.notify.apprise_schemes,
            now=now,
        )


@asynccontextmanager
async def open_notifier(
    settings: Settings, database: Database, *, now: Callable[[], datetime] = utc_now
) -> AsyncIterator[NotifyStage]:
    async with open_sender(settings, database, now=now) as sender:
        yield NotifyStage(
            database=database,
            sender=sender,
            settle=timedelta(seconds=settings.notify.settle),
            now=now,
            describe_revision=describe_revision,
            describe_story=describe_story,
        )
