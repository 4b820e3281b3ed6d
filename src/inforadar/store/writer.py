"""Saving finished jobs: many at a time, each all or nothing, none without its lease (B6).

`save_collected` writes a whole batch with a handful of set-based statements in one transaction. It first locks
the batch's schedule rows and keeps only jobs whose token still stands there: a job that lost its lease
leaves no trace. `Writer` gathers jobs while the previous batch is being written, so the busier it gets the
larger, and cheaper per job, its transactions become. If a batch fails, its jobs are saved one by one, so
that one poisoned job fails alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence

from sqlalchemy import Connection, bindparam, case, select, update
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from inforadar.errors import LeaseLostError
from inforadar.model.ids import FeedId, UrlHash
from inforadar.model.item import Diff, KnownItem, Listed
from inforadar.model.schedule import Collected, Saved
from inforadar.store.engine import Database
from inforadar.store.feeds import feed_key
from inforadar.store.items import FeedItems, insert_items, load_known, save_changes
from inforadar.store.schema import feed_schedules, feed_urls, feeds
from inforadar.store.types import db_later, db_now
from inforadar.urls import url_hash

Differ = Callable[[Sequence[Listed], Mapping[UrlHash, KnownItem]], Diff]
MAX_BATCH = 200


def save_collected(
    connection: Connection, jobs: Sequence[Collected], diff: Differ
) -> dict[FeedId, Saved | None]:
    """Saves a batch. A feed whose lease was lost maps to None, and nothing of it is written."""
    held = _hold(connection, jobs)
    saved: dict[FeedId, Saved | None] = {job.lease.feed.id: None for job in jobs}
    known = load_known(
        connection,
        {job.lease.feed.id: [url_hash(listed.url) for listed in job.listed] for job in held if job.listed},
    )
    new: list[FeedItems] = []
    for job in held:
        feed = job.lease.feed
        found = diff(job.listed, known.get(feed.id, {})) if job.listed else Diff()
        if found.added:
            new.append(
                FeedItems(feed_id=feed.id, topic=feed.topic, run_id=job.run_id, at=job.at, added=found.added)
            )
        if found.changed:
            save_changes(connection, found.changed, run_id=job.run_id, at=job.at)
        duplicate = _move(connection, job) if job.moved_to else None
        saved[feed.id] = Saved(
            feed_id=feed.id, added=found.added, changed=found.changed, duplicate_of=duplicate
        )
    insert_items(connection, new)
    _save_feeds(connection, held)
    _save_schedules(connection, held, {key for key, value in saved.items() if value and _touched(value)})
    return saved


def _touched(saved: Saved) -> bool:
    return bool(saved.added or saved.changed)


def _hold(connection: Connection, jobs: Sequence[Collected]) -> list[Collected]:
    """Those jobs whose lease is still theirs; their rows stay locked until the commit."""
    s = feed_schedules.c
    query = select(s.id, s.lease_token).where(s.id.in_([job.lease.feed.id for job in jobs])).with_for_update()
    tokens = {row.id: row.lease_token for row in connection.execute(query)}
    return [job for job in jobs if tokens.get(job.lease.feed.id) == job.lease.token]


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
    connection.execute(update(feeds).where(feeds.c.id == feed.id).values(url=href, url_hash=key))
    return None


def _save_feeds(connection: Connection, jobs: Iterable[Collected]) -> None:
    rows = []
    for job in jobs:
        new, old = job.validators, job.lease.feed.validators
        keep = new if new is not None else old
        feed = job.lease.feed
        rows.append(
            {
                "b_id": feed.id,
                "b_status": job.outcome.value,
                "b_at": job.at,
                "b_etag": keep.etag,
                "b_last_modified": keep.last_modified,
                "b_validators_url": keep.url,
                "b_kind": feed.kind or job.kind,
                "b_title": job.channel.get("title") or feed.title,
                "b_site_url": job.channel.get("site_url") or feed.site_url,
                "b_description": job.channel.get("description") or feed.description,
                "b_language": job.channel.get("language") or feed.language,
            }
        )
    if rows:
        connection.execute(_SAVE_FEED, rows)


_SAVE_FEED = (
    update(feeds)
    .where(feeds.c.id == bindparam("b_id"))
    .values(
        last_fetch_status=bindparam("b_status"),
        last_fetched_at=bindparam("b_at"),
        etag=bindparam("b_etag"),
        last_modified=bindparam("b_last_modified"),
        validators_url=bindparam("b_validators_url"),
        kind=bindparam("b_kind"),
        title=bindparam("b_title"),
        site_url=bindparam("b_site_url"),
        description=bindparam("b_description"),
        language=bindparam("b_language"),
    )
)

_s = feed_schedules.c
_SAVE_SCHEDULE = (
    update(feed_schedules)
    .where(_s.id == bindparam("b_id"))
    .values(
        next_run_at=case((bindparam("b_after").is_(None), None), else_=db_later(bindparam("b_after"))),
        last_error=bindparam("b_error"),
        failures=bindparam("b_failures"),
        locked_until=None,
        lease_token=None,
        # What was asked for while the job ran is still owed.
        requested_at=case((_s.requested_at <= _s.claimed_at, None), else_=_s.requested_at),
        build_at=case((bindparam("b_touched"), db_now()), else_=_s.build_at),
    )
)


def _save_schedules(connection: Connection, jobs: Iterable[Collected], touched: set[FeedId]) -> None:
    rows = [
        {
            "b_id": job.lease.feed.id,
            "b_after": job.next_run.after_s,
            "b_error": job.next_run.error,
            "b_failures": job.next_run.failures,
            "b_touched": job.lease.feed.id in touched,
        }
        for job in jobs
    ]
    if rows:
        connection.execute(_SAVE_SCHEDULE, rows)


class Writer:
    """Saves jobs as they finish. `async with Writer(db, diff) as writer: await writer.save(job)`."""

    def __init__(self, database: Database, diff: Differ) -> None:
        self._database = database
        self._diff = diff
        self._waiting: list[tuple[Collected, asyncio.Future[Saved]]] = []
        self._wake = asyncio.Event()
        self._closing = False
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Writer:
        self._task = asyncio.create_task(self._run(), name="writer")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Writes what is waiting, then ends."""
        self._closing = True
        self._wake.set()
        if self._task:
            await self._task

    async def save(self, job: Collected) -> Saved:
        """Returns once the job is committed; raises `LeaseLostError` if its lease went to someone else."""
        done: asyncio.Future[Saved] = asyncio.get_running_loop().create_future()
        self._waiting.append((job, done))
        self._wake.set()
        return await done

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                batch, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
                await self._save_batch(batch)
            if self._closing:
                return

    async def _save_batch(self, batch: list[tuple[Collected, asyncio.Future[Saved]]]) -> None:
        try:
            saved = await self._database.write(save_collected, [job for job, _ in batch], self._diff)
        except Exception as fault:
            # Whatever it was becomes the report of the job that caused it; the others are saved.
            if len(batch) == 1:
                _settle(batch[0][1], fault)
                return
            for one in batch:
                await self._save_batch([one])
            return
        for job, done in batch:
            result = saved[job.lease.feed.id]
            _settle(
                done, result or LeaseLostError(f"The lease of {job.lease.feed.url} went to another worker.")
            )


def _settle(done: asyncio.Future[Saved], result: Saved | Exception) -> None:
    if done.done():
        return
    if isinstance(result, Exception):
        done.set_exception(result)
    else:
        done.set_result(result)
