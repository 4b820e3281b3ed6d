"""Saving finished jobs: many at a time, each all or nothing, none without its lease (B6).

`save_collected` writes a whole batch with a handful of set-based statements in one transaction. It first locks
the batch's schedule rows and keeps only jobs whose token still stands there: a job that lost its lease
leaves no trace. `Writer` gathers jobs while the previous batch is being written, so the busier it gets the
larger, and cheaper per job, its transactions become. If a batch fails, its jobs are saved one by one, so
that one poisoned job fails alone; if it is the database that fails, they all do.

Everything that takes several rows takes them in this order, and those of a table by key, so that no two
transactions wait for each other: feed_schedules, articles, items, feed_days, fetch_days.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Text, case, delete, func, select, type_coerce, update
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from inforadar.errors import LeaseLostError, StoreError
from inforadar.model.http import Outcome, Validators
from inforadar.model.ids import FeedId, UrlHash
from inforadar.model.item import Diff, KnownItem, Listed
from inforadar.model.schedule import Collected, Part, Saved
from inforadar.store.article_queue import retry_old_failures
from inforadar.store.engine import Database
from inforadar.store.faults import is_of_the_database
from inforadar.store.feeds import feed_key, save_lanes, update_feed
from inforadar.store.found import delete_found, delete_found_part
from inforadar.store.history import note_outcomes
from inforadar.store.items import FeedItems, insert_items, load_known, save_changes
from inforadar.store.outbox import note_listed
from inforadar.store.rows import JsonRows, stored_id, stored_time
from inforadar.store.schema import feed_schedules, feed_urls, feeds
from inforadar.store.sitemap_items import SITE, settle_urls
from inforadar.store.types import db_after, db_later, db_now, one_of
from inforadar.urls import uid, url_hash

J = TypeVar("J", Collected, Part)
Differ = Callable[[Sequence[Listed], Mapping[UrlHash, KnownItem]], Diff]
MAX_BATCH = 500
FEW, GATHER_S = 100, 0.05
"""So few jobs wait so long for others to join them: a transaction costs nearly the same for one as for many."""


def save_collected(
    connection: Connection, jobs: Sequence[Collected], diff: Differ, *, outbox: bool = False
) -> dict[FeedId, Saved | None]:
    """Saves a batch. A feed whose lease was lost maps to None, and nothing of it is written.

    With `outbox` Redis is to be told of what is new.
    """
    held = _hold(connection, jobs)
    saved: dict[FeedId, Saved | None] = {job.lease.feed.id: None for job in jobs}
    found = save_listed(connection, held, diff, outbox=outbox)
    for job in held:
        feed = job.lease.feed
        duplicate = _move(connection, job) if job.moved_to else None
        if duplicate != feed.duplicate_of and job.outcome is Outcome.SUCCESS:
            update_feed(connection, feed.id, {"duplicate_of": duplicate})
        saved[feed.id] = Saved(
            feed_id=feed.id,
            added=found[feed.id].added,
            changed=found[feed.id].changed,
            duplicate_of=duplicate,
        )
    _save_feeds(connection, held)
    _save_schedules(connection, held, {key for key, value in found.items() if value})
    if first := [job.lease.feed.id for job in held if job.kind and job.lease.feed.kind is None]:
        save_lanes(connection, first)
    delete_found(connection, [job.lease.feed.id for job in held])
    note_outcomes(connection, held)
    return saved


def save_part(connection: Connection, part: Part, diff: Differ, *, outbox: bool = False) -> Saved | None:
    """Saves one part of a job that goes on: nothing but its items. None: the lease was lost, nothing is written."""
    if not _hold(connection, [part]):
        return None
    feed_id = part.lease.feed.id
    found = save_listed(connection, [part], diff, outbox=outbox)[feed_id]
    if part.position is not None:
        delete_found_part(connection, feed_id, part.position)
    if SITE in part.state:
        found = replace(found, changed=found.changed + settle_urls(connection, part))
    if found:
        connection.execute(
            update(feed_schedules).where(_s.id == feed_id).values(build_at=db_after(_s.build_at))
        )
    return Saved(feed_id=feed_id, added=found.added, changed=found.changed)


def save_listed(
    connection: Connection, jobs: Sequence[Collected | Part], diff: Differ, *, outbox: bool
) -> dict[FeedId, Diff]:
    """Compares what jobs list with what is there, and stores the difference."""
    known = load_known(
        connection,
        {job.lease.feed.id: [url_hash(listed.url) for listed in job.listed] for job in jobs if job.listed},
    )
    found: dict[FeedId, Diff] = {}
    new: list[FeedItems] = []
    for job in jobs:
        feed = job.lease.feed
        found[feed.id] = difference = diff(job.listed, known.get(feed.id, {})) if job.listed else Diff()
        if added := difference.added:
            new.append(
                FeedItems(feed_id=feed.id, topic=feed.topic, run_id=job.run_id, at=job.at, added=added)
            )
    if known:
        retry_old_failures(connection, (uid(listed.url) for job in jobs for listed in job.listed))
    insert_items(connection, new)
    if outbox:
        note_listed(connection, new)
    for job in jobs:
        if changed := found[job.lease.feed.id].changed:
            save_changes(connection, changed, run_id=job.run_id, at=job.at)
    return found


def _hold(connection: Connection, jobs: Sequence[J]) -> list[J]:
    """Those jobs whose lease is still theirs; their rows stay locked until the commit."""
    s = feed_schedules.c
    ids = [job.lease.feed.id for job in jobs]
    # The id in the form that is stored: to make thousands of UUIDs only to compare them takes time.
    stored = type_coerce(s.id, Text)
    query = select(stored, s.lease_token).where(one_of(s.id, ids)).order_by(s.id).with_for_update()
    tokens: dict[Any, str | None] = {row[0]: row[1] for row in connection.execute(query)}
    return [job for job in jobs if tokens.get(stored_id(connection, job.lease.feed.id)) == job.lease.token]


def _move(connection: Connection, job: Collected) -> FeedId | None:
    """Gives the feed its new URL and keeps the old one; if another feed has it already, only says whose."""
    feed = job.lease.feed
    href, key = feed_key(job.moved_to or feed.url)
    if href == feed.url:
        return None
    other: FeedId | None = connection.execute(select(feeds.c.id).where(feeds.c.url_hash == key)).scalar()
    if other is not None:
        return other
    insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
    _, old_key = feed_key(feed.url)
    former = insert(feed_urls).values(url_hash=old_key, feed_id=feed.id, url=feed.url, left_at=job.at)
    connection.execute(
        former.on_conflict_do_update(
            index_elements=["url_hash"],
            set_={"feed_id": former.excluded.feed_id, "left_at": former.excluded.left_at},
        )
    )
    # A feed that comes back to a URL it had before has not left it.
    connection.execute(delete(feed_urls).where(feed_urls.c.url_hash == key, feed_urls.c.feed_id == feed.id))
    update_feed(connection, feed.id, {"url": href, "url_hash": key})
    return None


_CHANNEL = ("title", "site_url", "description", "language")
_fetched = JsonRows(
    "fetched",
    id="uuid",
    status="text",
    at="timestamptz",
    kind="text",
    renewed="boolean",
    etag="text",
    last_modified="text",
    validators_url="text",
    **dict.fromkeys(_CHANNEL, "text"),
)


def _renewed(name: str) -> ColumnElement[Any]:
    return case((_fetched.c["renewed"], _fetched.c[name]), else_=feeds.c[name])


_SAVE_FEEDS = (
    update(feeds)
    .where(feeds.c.id == _fetched.c["id"])
    .values(
        last_fetch_status=_fetched.c["status"],
        last_fetched_at=_fetched.c["at"],
        kind=func.coalesce(feeds.c.kind, _fetched.c["kind"]),
        etag=_renewed("etag"),
        last_modified=_renewed("last_modified"),
        validators_url=_renewed("validators_url"),
        # What the job brought, else what stands there now: someone may have edited it meanwhile.
        **{name: func.coalesce(_fetched.c[name], feeds.c[name]) for name in _CHANNEL},
    )
)


_seen = JsonRows("seen", id="uuid", status="text", at="timestamptz")
_SAVE_SEEN = (
    update(feeds)
    .where(feeds.c.id == _seen.c["id"])
    .values(last_fetch_status=_seen.c["status"], last_fetched_at=_seen.c["at"])
)
"""For jobs that learned nothing about the feed, as most do."""


def _save_feeds(connection: Connection, jobs: Iterable[Collected]) -> None:
    rows: list[tuple[Any, ...]] = []
    seen: list[tuple[Any, ...]] = []
    for job in jobs:
        new, channel = job.validators, job.channel
        if new is None and not channel and not job.kind:
            id_, at = stored_id(connection, job.lease.feed.id), stored_time(connection, job.at)
            seen.append((id_, job.outcome.value, at))
            continue
        kept = new or Validators()
        rows.append(
            (
                stored_id(connection, job.lease.feed.id),
                job.outcome.value,
                stored_time(connection, job.at),
                job.kind,
                new is not None,
                kept.etag,
                kept.last_modified,
                kept.url,
                *((channel.get(name) or None for name in _CHANNEL) if channel else _NO_CHANNEL),
            )
        )
    if rows:
        connection.execute(_SAVE_FEEDS, _fetched.parameters(rows))
    if seen:
        connection.execute(_SAVE_SEEN, _seen.parameters(seen))


_NO_CHANNEL = (None,) * len(_CHANNEL)

_s = feed_schedules.c
_next = JsonRows(
    "next",
    id="uuid",
    at="timestamptz",
    after="double precision",
    error="text",
    failures="integer",
    touched="boolean",
    walked="boolean",
)
_SAVE_SCHEDULES = (
    update(feed_schedules)
    .where(_s.id == _next.c["id"])
    .values(
        fetched_at=_next.c["at"],
        next_run_at=case((_next.c["after"].is_(None), None), else_=db_later(_next.c["after"])),
        last_error=_next.c["error"],
        failures=_next.c["failures"],
        locked_until=None,
        lease_token=None,
        # What was asked for while the job ran is still owed.
        requested_at=case((_s.requested_at <= _s.claimed_at, None), else_=_s.requested_at),
        build_at=case((_next.c["touched"], db_after(_s.build_at)), else_=_s.build_at),
        walked_at=case((_next.c["walked"], db_now()), else_=_s.walked_at),
    )
)


def _save_schedules(connection: Connection, jobs: Iterable[Collected], touched: set[FeedId]) -> None:
    rows = [
        (
            stored_id(connection, job.lease.feed.id),
            stored_time(connection, job.at),
            job.next_run.after_s,
            job.next_run.error,
            job.next_run.failures,
            job.lease.feed.id in touched,
            job.walked,
        )
        for job in jobs
    ]
    if rows:
        connection.execute(_SAVE_SCHEDULES, _next.parameters(rows))


class Writer:
    """Saves jobs as they finish. `async with Writer(db, diff) as writer: await writer.save(job)`."""

    def __init__(self, database: Database, diff: Differ, *, outbox: bool = False) -> None:
        self._database = database
        self._outbox = outbox
        self._diff = diff
        self._waiting: list[tuple[Collected, asyncio.Future[Saved]]] = []
        self._wake = asyncio.Event()
        self._last_call = asyncio.Event()
        self._closing = False
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Writer:
        self._task = asyncio.create_task(self._run(), name="writer")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Writes what is waiting, then ends."""
        self._closing = True
        self._wake.set()
        self._last_call.set()
        if self._task:
            await self._task

    async def save(self, job: Collected) -> Saved:
        """Returns once the job is committed; raises `LeaseLostError` if its lease went to someone else."""
        return await self.submit(job)

    def submit(self, job: Collected) -> asyncio.Future[Saved]:
        """As `save`, for whoever does not want to wait for each."""
        done: asyncio.Future[Saved] = asyncio.get_running_loop().create_future()
        if self._closing:
            done.set_exception(StoreError(f"{job.lease.feed.url} was not saved: the worker is stopping."))
        else:
            self._waiting.append((job, done))
            self._wake.set()
        return done

    def hurry(self) -> None:
        """No more jobs come for now: those that are here need not wait for others."""
        self._last_call.set()

    async def save_alone(self, job: Collected) -> Saved:
        """As `save`, at once: for whoever has one job after the other and nothing to gather."""
        saved = await self._database.write(save_collected, [job], self._diff, outbox=self._outbox)
        if (result := saved[job.lease.feed.id]) is None:
            raise _lost(job)
        return result

    async def save_part(self, part: Part) -> Saved:
        """Commits one part of a job that goes on. Not gathered: a walk has its pace, and waits for this."""
        saved = await self._database.write(save_part, part, self._diff, outbox=self._outbox)
        if saved is None:
            raise _lost(part)
        return saved

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                if len(self._waiting) < FEW and not self._closing:
                    await self._gather()
                batch, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
                await self._save_batch(batch)
            if self._closing:
                return

    async def _gather(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(GATHER_S):
                await self._last_call.wait()
        self._last_call.clear()

    async def _save_batch(self, batch: list[tuple[Collected, asyncio.Future[Saved]]]) -> None:
        try:
            saved = await self._database.write(
                save_collected, [job for job, _ in batch], self._diff, outbox=self._outbox
            )
        except Exception as fault:
            # Whatever it was becomes the report of the job that caused it; the others are saved.
            if len(batch) == 1 or is_of_the_database(fault):
                for _, done in batch:
                    _settle(done, fault)
                return
            for one in batch:
                await self._save_batch([one])
            return
        for job, done in batch:
            _settle(done, saved[job.lease.feed.id] or _lost(job))


def _lost(job: Collected | Part) -> LeaseLostError:
    return LeaseLostError(f"The lease of {job.lease.feed.url} went to another worker.")


def _settle(done: asyncio.Future[Saved], result: Saved | Exception) -> None:
    if done.done():
        return
    if isinstance(result, Exception):
        done.set_exception(result)
    else:
        done.set_result(result)
