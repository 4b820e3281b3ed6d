"""Assembles what subscribes to hubs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from inforadar.config import Settings
from inforadar.store.database import Database

if TYPE_CHECKING:
    from inforadar.fetch.pace import HostPacer
    from inforadar.pipeline.push.stage import PushStage


def is_push_on(settings: Settings) -> bool:
    """Whether hubs are asked to push: they must be able to reach us."""
    return settings.fetcher.push and bool(settings.web.public_url)


@asynccontextmanager
async def open_push(settings: Settings, database: Database, pacer: HostPacer) -> AsyncIterator[PushStage]:
    """Open the push stage on a client with the guard and the pacer that feeds are fetched with."""
    # Imported here because the API only asks whether push is on.
    from inforadar.app.engine import make_guarded_client  # noqa: PLC0415
    from inforadar.fetch.polite_post import PolitePoster  # noqa: PLC0415
    from inforadar.pipeline.push.stage import PushStage  # noqa: PLC0415

    async with await make_guarded_client(settings, database) as client:
        yield PushStage(
            database=database,
            poster=PolitePoster(client=client, pacer=pacer, timeout_s=settings.fetcher.request_timeout),
            public_url=settings.web.public_url if is_push_on(settings) else "",
        )
