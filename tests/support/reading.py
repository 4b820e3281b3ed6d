"""Reads listing pages in the test process: starting a process for each test would take most of its time."""

from __future__ import annotations

from datetime import datetime

from inforadar.model.feed import FeedKind
from inforadar.pipeline.worker import Worker
from inforadar.stages.discover.pages.listing import PageListing, PageReader


def read_here(worker: Worker) -> Worker:
    async def read(reader: PageReader, body: bytes, url: str, content_type: str, at: datetime) -> PageListing:
        return reader(body, url, content_type, at)

    object.__setattr__(worker.collecting.collectors[FeedKind.PAGES], "read", read)
    return worker
