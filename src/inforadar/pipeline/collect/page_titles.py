"""Titles for sitemap pages without one: the page is fetched once and stored as an article.

The canonical stage would request the same page a moment later. So the page is claimed and stored as the article here,
and it is fetched only once. A page that could not be fetched is retried by each run until its third failure, then on
the article's own schedule (ruling 14).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from inforadar.model.article import Article, Extracted, FailureCode, NotExtracted
from inforadar.model.http import Failed
from inforadar.model.sitemap import TitleOrigin
from inforadar.pipeline.articles import Canonicalizer
from inforadar.pipeline.heartbeat import keep_leases
from inforadar.pipeline.polite_visit import Visitor
from inforadar.stages.discover.sitemap.titles import slug_title
from inforadar.store.articles.claims import (
    claim_new_article,
    extend_articles,
    postpone_articles,
    release_articles,
)
from inforadar.store.articles.queries import load_article
from inforadar.urls import uid

_UNREACHABLE = frozenset({FailureCode.HTTP, FailureCode.TIMEOUT})


class Missing(StrEnum):
    """Why there is no title."""

    FAILED = "failed"
    """The page could not be fetched."""
    BUSY = "busy"
    """Another worker is fetching it right now, or its host's turn is too far away. It stays in the queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Title:
    text: str
    origin: TitleOrigin
    site: str | None = None
    """The name that the page gives its site."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTitles:
    """Fetches pages for their titles."""

    canonicalizer: Canonicalizer

    async def title_of(self, url: str, topic: str, visitor: Visitor) -> Title | Missing:
        database, key = self.canonicalizer.database, uid(url)
        job = await database.write(claim_new_article, key, url, topic)
        if job is None:
            return _known(url, await database.read(load_article, key))
        async with keep_leases(database, {key: job}, extend=extend_articles, release=release_articles):
            ending = await self.canonicalizer.visit_article(job, visitor)
            if isinstance(ending, Failed):
                await database.write(postpone_articles, [(job, ending.retry_after_s or 0.0)])
                return Missing.BUSY
        if ending is None:
            return Missing.BUSY
        if ending.is_forbidden:
            # The site lists the page publicly; robots.txt only forbids fetching it.
            return Title(text=slug_title(url), origin=TitleOrigin.SLUG)
        result = ending.result
        return _title(url, result if isinstance(result, Extracted | NotExtracted) else None)


def _known(url: str, article: Article | None) -> Title | Missing:
    """The title of a page that must not be fetched now, from the stored article."""
    if article is None or (article.extracted is None and article.failure is None):
        return Missing.BUSY
    return _title(url, article.extracted or article.failure)


def _title(url: str, result: Extracted | NotExtracted | None) -> Title | Missing:
    match result:
        case Extracted(title=str() as title) | NotExtracted(title=str() as title) if title.strip():
            site = result.site_name if isinstance(result, Extracted) else None
            return Title(text=title, origin=TitleOrigin.PAGE, site=site)
        case NotExtracted(code=code) if code in _UNREACHABLE:
            return Missing.FAILED
        case _:
            return Title(text=slug_title(url), origin=TitleOrigin.SLUG)
