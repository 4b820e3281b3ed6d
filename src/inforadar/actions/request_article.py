"""Request the full text of an item now; a worker on any machine fetches it."""

from __future__ import annotations

from inforadar.store.articles.enqueue import request_article as enqueue_article
from inforadar.store.database import Database
from inforadar.urls import uid


async def request_article(database: Database, url: str, category: str) -> None:
    """Put the article at the head of the queue; a stored text stays until there is a new one."""
    await database.write(enqueue_article, uid(url), url, category)
