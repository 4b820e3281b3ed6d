"""Queries about articles: one by its uid, and which are queued, known, free or due."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, case, func, literal, null, or_, select

from inforadar.model.article import Article, ArticleStatus, Extracted, FailureCode, NotExtracted
from inforadar.model.ids import Uid
from inforadar.model.item import ItemText
from inforadar.store.clock_sanity import is_absurd
from inforadar.store.schema.articles import article_categories, articles
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.types import db_later, db_now, one_of, one_of_given

_a = articles.c


def is_free() -> ColumnElement[bool]:
    """Condition: the article has no lease, or the lease has expired."""
    return or_(_a.locked_until.is_(None), _a.locked_until <= db_now(), is_absurd(_a.locked_until))


def count_due_articles(connection: Connection) -> int:
    return connection.execute(select(func.count()).where(_a.next_attempt_at <= db_now())).scalar_one()


def load_article(connection: Connection, uid: Uid) -> Article | None:
    row = connection.execute(select(articles).where(_a.uid == uid)).first()
    return article_from_row(row) if row else None


BEST_TEXT = (
    _a.html,
    # They say the same as the HTML, so only one of the three is read.
    case((func.coalesce(_a.html, "") == "", _a.markdown), else_=null()).label("markdown"),
    case((func.coalesce(_a.html, _a.markdown, "") == "", _a.clean_text), else_=null()).label("clean_text"),
    _a.text_len,
)
"""The columns of an article's text: as HTML, else as Markdown, else plain; and its length as plain text."""


def load_article_texts(connection: Connection, uids: Iterable[Uid]) -> dict[Uid, ItemText]:
    """The texts of those of the articles that have one; `content` is empty."""
    query = select(_a.uid, *BEST_TEXT).where(one_of(_a.uid, uids), _a.status == ArticleStatus.SUCCESS.value)
    return {
        row.uid: ItemText(
            html=row.html or "",
            markdown=row.markdown or "",
            clean_text=row.clean_text or "",
            text_len=row.text_len,
        )
        for row in connection.execute(query)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticlePreview:
    """An article's part in a list."""

    image: str | None
    text_len: int


_PREVIEWS = select(_a.uid, _a.image, _a.text_len).where(
    one_of_given(_a.uid, "uids"), _a.status == ArticleStatus.SUCCESS.value
)


def load_previews(connection: Connection, uids: Iterable[Uid]) -> dict[Uid, ArticlePreview]:
    """The lead image and the length of each article that has a text."""
    rows = connection.execute(_PREVIEWS, {"uids": list(uids)})
    return {row.uid: ArticlePreview(image=row.image, text_len=row.text_len) for row in rows}


def article_from_row(row: Row[Any]) -> Article:
    extracted = None
    if row.status == ArticleStatus.SUCCESS:
        extracted = Extracted(
            clean_text=row.clean_text or "",
            markdown=row.markdown or "",
            html=row.html or "",
            abstract=row.abstract,
            title=row.title,
            author=row.author,
            published_at=row.published_at,
            updated_at=row.modified_at,
            language=row.language,
            site_name=row.site_name,
            image=row.image,
            canonical_url=row.canonical_url,
            raw_len=row.raw_len,
        )
    failure = None
    if row.failure_code:
        failure = NotExtracted(
            code=FailureCode(row.failure_code),
            detail=row.failure_detail or "",
            # The title of a stored text is that text's.
            title=None if row.status == ArticleStatus.SUCCESS else row.title,
        )
    return Article(
        uid=row.uid,
        url=row.url,
        category=row.category,
        status=ArticleStatus(row.status),
        fetched_at=row.fetched_at,
        extracted=extracted,
        failure=failure,
        attempts=row.attempts,
    )


RETRY_FAILURE_AFTER_S = 30 * 86400.0
"""How long a URL that failed for good is left alone (D3)."""
FAILED_LONG_AGO = (
    # A literal, because SQLite does not use a partial index for a parameter.
    _a.status == literal(ArticleStatus.FAILURE.value, literal_execute=True),
    _a.attempted_at <= db_later(literal(-RETRY_FAILURE_AFTER_S)),
    _a.next_attempt_at.is_(None),
)


def load_known_uids(connection: Connection, uids: Iterable[Uid]) -> set[Uid]:
    """The uids that have a row: fetched, failed or waiting."""
    return set(connection.execute(select(_a.uid).where(one_of(_a.uid, uids))).scalars())


def load_topics(connection: Connection, urls: Mapping[Uid, str]) -> dict[Uid, set[str]]:
    """The topics under which feeds and other programs list each article, besides its own category."""
    by_url = {url: key for key, url in urls.items()}
    listed = (
        select(items.c.url, feeds.c.topic)
        .join_from(items, feeds, feeds.c.id == items.c.feed_id)
        .where(one_of(items.c.url, by_url), feeds.c.deleted_at.is_(None))
        .distinct()
    )
    topics: dict[Uid, set[str]] = {}
    for row in connection.execute(listed):
        topics.setdefault(by_url[row.url], set()).add(row.topic)
    brought = select(article_categories).where(one_of(article_categories.c.uid, urls))
    for row in connection.execute(brought):
        topics.setdefault(row.uid, set()).add(row.category)
    return topics


def seconds_to_next_article(connection: Connection) -> float | None:
    """Seconds until an article is due, by the database's clock; None if nothing is queued."""
    queued = select(func.min(_a.next_attempt_at).label("at"), db_now().label("now"))
    row = connection.execute(queued.where(_a.next_attempt_at.is_not(None))).one()
    return None if row.at is None else max((row.at - row.now).total_seconds(), 0.0)
