"""Questions before a look: which articles are to be watched, and what the day has cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlalchemy import ColumnElement, Connection, Select, and_, func, literal, select, union

from inforadar.model.article import ArticleStatus
from inforadar.model.feed_options import RevisionMode
from inforadar.model.ids import Uid
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.history import OUTCOMES, fetch_days
from inforadar.store.schema.items import items
from inforadar.store.schema.people import marks
from inforadar.store.schema.revisions import article_looks, look_days
from inforadar.store.schema.stories import stories, story_items
from inforadar.store.types import db_later, db_now, one_of

_a, _i, _l = articles.c, items.c, article_looks.c

MIN_SOURCES = 2
MAX_PLANNED = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class UnwatchedArticle:
    """An article that is to be looked at again."""

    uid: Uid
    first_at: datetime


def revision_mode() -> ColumnElement[str]:
    """A feed's own setting, else the default."""
    return func.coalesce(feeds.c.options["revisions"].as_string(), RevisionMode.STORIES.value)


def load_unwatched(
    connection: Connection, window_s: float, limit: int = MAX_PLANNED
) -> list[UnwatchedArticle]:
    """Articles of the last `window_s` seconds that their feeds want watched and that are not yet."""
    since = db_later(literal(-window_s))
    told = (
        select(story_items.c.item_id)
        .join_from(stories, story_items, story_items.c.story_id == stories.c.id)
        .where(
            stories.c.merged_into.is_(None),
            stories.c.last_at >= since,
            stories.c.source_count >= MIN_SOURCES,
        )
    )
    starred = select(marks.c.url).where(marks.c.starred_at >= since)
    branches = [
        _fresh(since).where(_i.id.in_(told), revision_mode() != RevisionMode.OFF.value),
        _fresh(since).where(_i.url.in_(starred), revision_mode() != RevisionMode.OFF.value),
    ]
    # Few feeds have it, and only their items are read.
    always = select(feeds.c.id).where(*ACTIVE, revision_mode() == RevisionMode.ALWAYS.value)
    if ids := list(connection.execute(always).scalars()):
        branches.append(_fresh(since).where(one_of(_i.feed_id, ids), _i.pub_date >= since))
    found = union(*branches).limit(limit)
    return [UnwatchedArticle(uid=row.uid, first_at=row.fetched_at) for row in connection.execute(found)]


def _fresh(since: ColumnElement[datetime]) -> Select[tuple[str, datetime]]:
    return (
        select(_a.uid, _a.fetched_at)
        .select_from(items)
        .join(feeds, feeds.c.id == _i.feed_id)
        .join(articles, and_(_a.uid == _i.uid, _a.url == _i.url))
        .join(article_looks, _l.uid == _a.uid, isouter=True)
        .where(
            *ACTIVE,
            _l.uid.is_(None),
            _a.status == ArticleStatus.SUCCESS.value,
            _a.fetched_at >= since,
        )
    )


def load_wanted(connection: Connection, uids: Sequence[Uid]) -> set[Uid]:
    """Select the articles that at least one active feed lists and does not exclude from looks."""
    query = (
        select(_i.uid)
        .join_from(items, feeds, feeds.c.id == _i.feed_id)
        .where(
            one_of(_i.url, select_urls(connection, uids)), *ACTIVE, revision_mode() != RevisionMode.OFF.value
        )
        .distinct()
    )
    return set(connection.execute(query).scalars())


def select_urls(connection: Connection, uids: Sequence[Uid]) -> list[str]:
    return list(connection.execute(select(_a.url).where(one_of(_a.uid, list(uids)))).scalars())


def count_fetches(connection: Connection, day: date) -> int:
    """Collecting requests of this day and the day before."""
    f = fetch_days.c
    counted = select(func.coalesce(func.sum(f.fetches), 0)).where(
        f.day >= day - timedelta(days=1), f.outcome.in_(OUTCOMES)
    )
    return int(connection.execute(counted).scalar_one())


def count_looks(connection: Connection, day: date) -> int:
    """Looks of this day and the day before, over all hosts."""
    d = look_days.c
    counted = select(func.coalesce(func.sum(d.looks), 0)).where(
        d.day >= day - timedelta(days=1), d.host == ""
    )
    return int(connection.execute(counted).scalar_one())


def load_host_looks(connection: Connection, day: date, hosts: Sequence[str]) -> dict[str, int]:
    d = look_days.c
    query = select(d.host, d.looks).where(d.day == day, one_of(d.host, list(hosts)))
    return {row.host: row.looks for row in connection.execute(query)}


def seconds_to_next_look(connection: Connection) -> float | None:
    """Seconds until an article is due, by the database's clock; None if none is watched."""
    query = select(func.min(_l.due_at).label("at"), db_now().label("now")).where(_l.due_at.is_not(None))
    row = connection.execute(query).one()
    return None if row.at is None else max((row.at - row.now).total_seconds(), 0.0)
