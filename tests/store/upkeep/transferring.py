"""What the tests of exports and moves begin with: something of everything, and exports of it."""

from __future__ import annotations

import io
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import Table, insert

from inforadar.store.database import Database
from inforadar.store.feeds.save_credentials import save_credentials
from inforadar.store.schema.analyses import analyses_cache, analysis_costs
from inforadar.store.schema.feeds import cached_feeds
from inforadar.store.schema.people import marks
from inforadar.store.schema.sitemaps import site_states, url_states
from inforadar.store.upkeep.export_archive import write_archive
from inforadar.store.upkeep.import_archive import read_archive
from inforadar.store.upkeep.transfer import load_digest, transferred_tables
from tests.store.making import NOW, add_feed, collect, listed

ODD = 'Привет, 世界 \x01\x1f \u2028 "quoted" \\ مرحبا 🛰️'


def nobody(table: str, number: int) -> None:
    """Nobody listens."""


async def fill(database: Database, number: int = 3) -> None:
    """Something of everything, odd values included."""
    feed = await add_feed(database, title=ODD)
    urls = [f"https://example.com/{n}?слово" for n in range(number)]
    await collect(database, feed, *(listed(url, title=ODD, tags=("a", "б"), rating=1.5) for url in urls))
    await collect(database, feed, listed(urls[0], title="Another", views=2**40, rating=-0.0))
    await database.write(save_credentials, feed.id, {"Authorization": "Basic c2VjcmV0"})
    document = {"big": 1e22, "whole": 100.0, "small": 1e-7, "b": [None, True, {"я": 2**60}], "a": ODD}
    values: dict[Table, dict[str, Any]] = {
        marks: {"hash": "0" * 64, "url": urls[0], "starred_at": NOW},
        analyses_cache: {"key": "1" * 64, "model": "m", "prompt_version": "1", "result": document},
        analysis_costs: {"day": date(2026, 3, 14), "model": "m", "feed_id": UUID(int=7), "cost": 0.1 + 0.2},
        cached_feeds: {"id": feed.id, "xml_header": "<", "item_refs": ["я", "b"], "xml_content": ODD},
        site_states: {"site_name": "сайт", "sitemap_url": None},
        url_states: {"site_name": "сайт", "url": "https://example.com/", "state": 2},
    }
    for table, row in values.items():
        await database.write(lambda c, t=table, r=row: c.execute(insert(t).values(**r)))


async def export(database: Database, **options: Any) -> bytes:
    file = io.BytesIO()
    await database.snapshot(write_archive, file, nobody, **options)
    return file.getvalue()


async def read(database: Database, data: bytes, *, replace: bool = False) -> dict[str, int]:
    return await database.write(read_archive, io.BytesIO(data), nobody, replace=replace)


async def digests(database: Database) -> dict[str, tuple[int, str]]:
    found = {}
    for table in transferred_tables():
        digest = await database.read(load_digest, table)
        found[table.name] = (digest.rows, digest.checksum)
    return found
