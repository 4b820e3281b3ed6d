"""Save an edit of a feed: columns, options, credentials, URL and schedule, all in one transaction."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select, update
from sqlalchemy.exc import IntegrityError

from inforadar.errors import DuplicateFeedError, NotFoundError
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.ids import FeedId
from inforadar.model.subscription import Edited, FeedChanges, NewUrl
from inforadar.store.feeds.changes import request_feed, update_feed
from inforadar.store.feeds.credentials import has_credentials
from inforadar.store.feeds.options import update_feed_options
from inforadar.store.feeds.queries import deleted_sentence, feed_key, find_feed_by_url, load_feed
from inforadar.store.feeds.save_credentials import add_credentials, save_credentials
from inforadar.store.feeds.urls import save_url
from inforadar.store.runs.spool_save import delete_found
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.sitemaps.prune import delete_sites
from inforadar.store.types import db_after
from inforadar.urls import keeps_credentials, origin, root_domain


def save_edit(
    connection: Connection,
    feed_id: FeedId,
    changes: FeedChanges,
    *,
    new_url: NewUrl | None = None,
    fallback_s: float | None = None,
) -> Edited:
    """Save the given changes and request a fetch if the feed is enabled, so that the change becomes visible.

    `fallback_s` also schedules a fetch, in case no worker responds. Changing only switches requests nothing.
    """
    feed = _lock_feed(connection, feed_id)
    columns, options = changes.columns, dict(changes.options)
    if changes.forget_credentials:
        save_credentials(connection, feed.id, {})
    is_moved = new_url is not None and feed_key(new_url.url)[0] != feed.url
    dropped = False
    if new_url is not None:
        if is_moved:
            dropped = _move(connection, feed, new_url.url)
            columns = _columns_at(feed, new_url, columns, options) | columns
            if columns.get("kind") is FeedKind.PAGES and feed.options.cutoff_date is None:
                options.setdefault("cutoff_date", new_url.cutoff_date)
        if new_url.headers:
            add_credentials(connection, feed.id, new_url.headers)
    if changes.headers:
        add_credentials(connection, feed.id, changes.headers)
    if columns:
        update_feed(connection, feed.id, columns)
    if options:
        update_feed_options(connection, feed.id, options)
    if columns.get("enabled", feed.enabled) and not changes.is_switch:
        # A feed that was suspended is due at once, as after a sync.
        request_feed(connection, feed.id, fallback_s=0.0 if is_moved else fallback_s)
    return Edited(
        feed=load_feed(connection, feed.id),
        former_url=feed.url if is_moved else None,
        dropped_credentials=dropped,
    )


def _lock_feed(connection: Connection, feed_id: FeedId) -> Feed:
    """Load the feed and lock it until the commit, in the same order as finished jobs lock."""
    for table in (feed_schedules, feeds):
        connection.execute(select(table.c.id).where(table.c.id == feed_id).with_for_update())
    feed = load_feed(connection, feed_id)
    if feed.deleted_at:
        raise NotFoundError(deleted_sentence(feed))
    return feed


def _move(connection: Connection, feed: Feed, url: str) -> bool:
    """Give the feed its new URL and reset what belongs to the old one. Returns whether credentials were dropped."""
    _refuse_taken(connection, feed, url)
    try:
        with connection.begin_nested():
            save_url(connection, feed, url)
    except IntegrityError:
        # Another process took the URL between our check and our update.
        _refuse_taken(connection, feed, url)
        raise
    dropped = not keeps_credentials(feed.url, url) and has_credentials(connection, feed.id)
    if dropped:
        save_credentials(connection, feed.id, {})
    # Pages of another site are not new on this one: its sitemap starts with a baseline, like a new one.
    if origin(feed.url) != origin(url):
        delete_sites(connection, [str(feed.id)])
    delete_found(connection, [feed.id])
    s = feed_schedules.c
    connection.execute(
        update(feed_schedules)
        .where(s.id == feed.id)
        .values(
            last_error=None,
            failures=0,
            walked_at=None,
            # A job that is fetching the old URL must not commit.
            locked_until=None,
            lease_token=None,
            # The published document contains the URL.
            build_at=db_after(s.build_at),
        )
    )
    return dropped


def _refuse_taken(connection: Connection, feed: Feed, url: str) -> None:
    other = find_feed_by_url(connection, url)
    if other is None or other.id == feed.id:
        return
    href, _ = feed_key(url)
    is_former = other.url != href
    if other.deleted_at and is_former:
        return
    name = f"{other.title or other.source!s} (id {other.id})"
    if other.deleted_at:
        raise DuplicateFeedError(
            f"{href} is the URL of a deleted feed, {name}; nothing was changed. "
            f"`inforadar feed restore {other.id}` brings that feed back."
        )
    whose = "a former URL" if is_former else "already the URL"
    raise DuplicateFeedError(f"{href} is {whose} of another feed, {name}; nothing was changed.")


def _columns_at(
    feed: Feed, new_url: NewUrl, columns: dict[str, Any], options: dict[str, Any]
) -> dict[str, Any]:
    """The columns that follow from the URL; explicit changes take precedence.

    The kind is detected again, unless selectors say how to read the pages. Source and root domain follow the URL if
    they still have the values derived from the old one.
    """
    at_url: dict[str, Any] = {
        "etag": None,
        "last_modified": None,
        "validators_url": None,
        "last_fetch_status": None,
        "warnings": None,
        "hints": None,
        "duplicate_of": None,
    }
    if not options.get("selectors", feed.options.selectors):
        at_url["kind"] = new_url.kind
    was, now = root_domain(feed.url), root_domain(new_url.url)
    at_url |= {name: now for name in ("source", "root_domain") if getattr(feed, name) == was}
    return at_url
