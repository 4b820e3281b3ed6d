"""Find, load and count feeds. Each function is one question; none changes anything."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Select, Text, bindparam, cast, false, func, or_, select

from inforadar.errors import NotFoundError, UsageError
from inforadar.model.feed import Feed
from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId
from inforadar.store.feeds.label_match import is_named, known_names
from inforadar.store.feeds.rows import feed_from_row, joined, select_feeds
from inforadar.store.schema.feeds import feed_schedules, feed_urls, feeds
from inforadar.store.types import one_of, unindexed
from inforadar.urls import canonical_form, twin_urls, url_hash

ACTIVE = (unindexed(feeds.c.enabled), feeds.c.deleted_at.is_(None))
"""Feeds that are fetched and served."""


def feed_key(url: str) -> tuple[str, str]:
    """The URL of a feed without its fragment, and the hash it is looked up by. All parameters are kept."""
    href = canonical_form(url).split("#", 1)[0]
    return href, url_hash(href)


def load_feed(connection: Connection, feed_id: FeedId) -> Feed:
    row = connection.execute(_one_feed(), {"feed": feed_id}).first()
    if row is None:
        raise NotFoundError(f"There is no feed {feed_id}.")
    return feed_from_row(row)


@cache
def _one_feed() -> Select[Any]:
    return select_feeds().where(feeds.c.id == bindparam("feed"))


def find_feed_by_url(connection: Connection, url: str) -> Feed | None:
    """Find a feed by its URL, or if no feed has it now, by a URL that a feed had before it moved."""
    _, key = feed_key(url)
    row = connection.execute(select_feeds().where(feeds.c.url_hash == key)).first()
    if row is None:
        former = select(feed_urls.c.feed_id).where(feed_urls.c.url_hash == key).scalar_subquery()
        row = connection.execute(select_feeds().where(feeds.c.id == former)).first()
    return feed_from_row(row) if row else None


def find_twin(connection: Connection, url: str) -> Feed | None:
    """Find a feed that is followed under another form of this URL; a deleted one does not count."""
    keys = [feed_key(twin)[1] for twin in twin_urls(url)]
    query = select_feeds().where(one_of(feeds.c.url_hash, keys), feeds.c.deleted_at.is_(None)).limit(1)
    row = connection.execute(query).first()
    return feed_from_row(row) if row else None


def find_followed(connection: Connection, url: str) -> Feed | None:
    """Find the feed that adding this URL would leave as it is: one with this URL, a former one, or a twin of it."""
    href, _ = feed_key(url)
    feed = find_feed_by_url(connection, href) or find_twin(connection, href)
    return feed if feed and feed.deleted_at is None else None


def find_feed(connection: Connection, reference: str) -> Feed:
    """Find one feed by id, by URL, or by a unique prefix of either or suffix of the id. Deleted feeds are refused."""
    found = _find_exact(connection, reference)
    if found is None:
        return _find_by_part(connection, reference, feeds.c.deleted_at.is_(None), "feed", "list")
    if found.deleted_at:
        # An action on a deleted feed would seem to work but have no visible effect.
        raise NotFoundError(deleted_sentence(found))
    return found


def find_deleted_feed(connection: Connection, reference: str) -> Feed:
    """Find one deleted feed; `reference` is as in `find_feed`."""
    found = _find_exact(connection, reference)
    if found is None:
        return _find_by_part(connection, reference, feeds.c.deleted_at.is_not(None), "deleted feed", None)
    if found.deleted_at is None:
        raise UsageError(f"{found.url} is not deleted; nothing was changed.")
    return found


def deleted_sentence(feed: Feed) -> str:
    return f"{feed.url} is deleted. `inforadar feed restore {feed.id}` brings it back."


def _find_exact(connection: Connection, reference: str) -> Feed | None:
    text = reference.strip()
    if not text:
        raise UsageError("Which feed? Give its id, its URL, or the beginning of one.")
    if "://" in text and (found := find_feed_by_url(connection, text)):
        return found
    try:
        return load_feed(connection, FeedId(UUID(text)))
    except ValueError:
        return None


def _find_by_part(
    connection: Connection, reference: str, wanted: ColumnElement[bool], noun: str, listed_by: str | None
) -> Feed:
    fits = (wanted, _begins(reference.strip()))
    query = select_feeds().where(*fits).order_by(feeds.c.url).limit(5)
    candidates = [feed_from_row(row) for row in connection.execute(query)]
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        hint = f" `inforadar feed {listed_by}` shows them all." if listed_by else ""
        raise NotFoundError(f"There is no {noun} {reference!r}.{hint}")
    number = connection.execute(select(func.count()).select_from(feeds).where(*fits)).scalar_one()
    names = ", ".join(feed.url for feed in candidates)
    raise UsageError(f"{reference!r} fits {number} {noun}s: {names}. Give more of the id or the URL.")


def _begins(text: str) -> ColumnElement[bool]:
    """Condition: `text` begins the id (hyphens optional) or the URL (scheme optional), or ends the id."""
    id_text = func.replace(cast(feeds.c.id, Text), "-", "")
    starts: list[tuple[ColumnElement[str], str]] = [(id_text, text.lower().replace("-", ""))]
    starts += [(feeds.c.url, f"{scheme}{text}") for scheme in ("", "http://", "https://")]
    begins = (func.substr(column, 1, len(start)) == start for column, start in starts)
    return or_(*begins, ends_with(id_text, text))


def ends_with(id_text: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """Condition: the id ends with `text`. Ids of one import begin alike, with the time, so people use their ends."""
    end = text.lower().replace("-", "")
    return func.substr(id_text, 33 - len(end)) == end if 4 <= len(end) <= 32 else false()


def load_feeds(
    connection: Connection,
    *,
    sources: Sequence[str] = (),
    topics: Sequence[str] = (),
    ids: Sequence[FeedId] = (),
    origin: str | None = None,
    only_enabled: bool = False,
) -> list[Feed]:
    """Load all feeds that are not deleted, sorted by source, topic and URL."""
    wanted: list[ColumnElement[bool]] = [feeds.c.deleted_at.is_(None)]
    if ids:
        wanted.append(one_of(feeds.c.id, ids))
    if sources:
        wanted.append(is_named(feeds.c.source, known_names(connection, feeds.c.source, sources)))
    if topics:
        wanted.append(is_named(feeds.c.topic, known_names(connection, feeds.c.topic, topics)))
    if origin:
        wanted.append(feeds.c.origin == origin)
    if only_enabled:
        wanted.append(unindexed(feeds.c.enabled))
    order = (func.lower(feeds.c.source), func.lower(feeds.c.topic), feeds.c.url)
    return [feed_from_row(row) for row in connection.execute(select_feeds().where(*wanted).order_by(*order))]


def count_feeds(connection: Connection) -> int:
    return connection.execute(select(func.count()).where(feeds.c.deleted_at.is_(None))).scalar_one()


def load_root_domains(connection: Connection) -> list[str]:
    query = (
        select(feeds.c.root_domain)
        .where(feeds.c.deleted_at.is_(None), feeds.c.root_domain.is_not(None))
        .distinct()
        .order_by(feeds.c.root_domain)
    )
    return list(connection.execute(query).scalars())


def load_former_urls(connection: Connection, feed_id: FeedId) -> list[tuple[str, datetime]]:
    query = (
        select(feed_urls.c.url, feed_urls.c.left_at)
        .where(feed_urls.c.feed_id == feed_id)
        .order_by(feed_urls.c.left_at)
    )
    return [(row.url, row.left_at) for row in connection.execute(query)]


BROKEN = (
    *ACTIVE,
    feed_schedules.c.next_run_at.is_(None),
    feed_schedules.c.last_error.is_not(None),
    # A feed that never failed may say that a person stopped its fetch.
    feeds.c.last_fetch_status != Outcome.SUCCESS.value,
)
"""Enabled feeds that need a person: out of the schedule because a fetch failed."""


MANY_BROKEN = 1000
_BROKEN_COUNT = select(func.count()).select_from(
    select(feeds.c.id).select_from(joined).where(*BROKEN).limit(bindparam("number")).subquery()
)


def load_broken_count(connection: Connection) -> int:
    """Count broken feeds, up to `MANY_BROKEN`: every page shows this, and a number that large need not be exact."""
    number: int = connection.execute(_BROKEN_COUNT, {"number": MANY_BROKEN}).scalar_one()
    return number


def load_broken_feeds(connection: Connection, *, limit: int = 500) -> list[Feed]:
    """Load broken feeds, sorted by source and URL."""
    order = (func.lower(feeds.c.source), feeds.c.url)
    query = select_feeds().where(*BROKEN).order_by(*order).limit(limit)
    return [feed_from_row(row) for row in connection.execute(query)]
