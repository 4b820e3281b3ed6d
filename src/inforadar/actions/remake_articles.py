"""Queue the articles that an older version stored, to be made anew from the web. Nothing does this unasked."""

from __future__ import annotations

from inforadar.store.articles.enqueue import request_articles_without_html
from inforadar.store.database import Database


async def remake_articles(database: Database) -> int:
    """Queue the articles that have no HTML; return how many. Each text stays until there is a new one."""
    return await database.write(request_articles_without_html)
