"""Assembles what sends messages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from inforadar.app.engine import make_guarded_client
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.model.ids import ItemId, StoryId
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
            describe_revision=_describe_revision,
            describe_story=_describe_story,
        )


async def _describe_revision(database: Database, item_id: ItemId, revision: UUID) -> Mapping[str, Any] | None:
    # Few workers have messages to send, and how a text changed is a lot to import.
    from inforadar.app.revisions import describe_revision  # noqa: PLC0415

    return await describe_revision(database, item_id, revision)


async def _describe_story(database: Database, story_id: StoryId, now: datetime) -> Mapping[str, Any] | None:
    from inforadar.app.stories import describe_story  # noqa: PLC0415 - as above

    return await describe_story(database, story_id, now)
