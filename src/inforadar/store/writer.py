"""Save finished jobs: many at a time, each completely or not at all, none without its lease (B6).

`save_collected` writes a whole batch with a few set-based statements in one transaction. It first locks the batch's
schedule rows and keeps only jobs whose token is still there: a job that lost its lease leaves no trace. `Writer`
gathers jobs while the previous batch is being written, so under load its transactions become larger and cheaper per
job. If a batch fails, its jobs are saved one by one, so that one bad job fails alone; if the database itself fails,
all of them fail.

Every transaction that locks several rows does so in this order, and within a table by key, so that no two can
deadlock: feed_schedules, articles, items, feed_rhythms, push_subscriptions, feed_days, fetch_days.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from sqlalchemy import Connection, Text, select, type_coerce, update

from inforadar.errors import LeaseLostError, StoreError
from inforadar.model.far_dates import without_far_dates
from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId
from inforadar.model.item import Diff, KnownItem, Listed
from inforadar.model.rhythm import Delays, Rhythm
from inforadar.model.schedule import FinishedJob, ListingPart, Planner, Saved
from inforadar.store.articles.enqueue import retry_old_failures
from inforadar.store.database import Database
from inforadar.store.faults import is_database_fault
from inforadar.store.feeds.changes import save_lanes, update_feed
from inforadar.store.feeds.job_results import save_feeds, save_move, save_schedules
from inforadar.store.feeds.note_history import note_changed_outcomes, note_delays, note_outcomes
from inforadar.store.feeds.rhythms import load_rhythms
from inforadar.store.feeds.save_rhythms import save_rhythms
from inforadar.store.items.known import load_known
from inforadar.store.items.save import FeedItems, insert_items, save_changes, save_upkeep
from inforadar.store.push.results import note_push_results
from inforadar.store.push.subscribe import note_hubs
from inforadar.store.redis.outbox import note_listed
from inforadar.store.rows import stored_id
from inforadar.store.runs.spool_save import delete_found, delete_found_part
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.sitemaps.settle import settle_urls
from inforadar.store.types import db_after, one_of
from inforadar.urls import uid

J = TypeVar("J", FinishedJob, ListingPart)
Differ = Callable[[Sequence[Listed], Sequence[KnownItem]], Diff]
JOB_WEIGHT = 6
"""Weight of a job; each entry it lists adds one, because a first fetch writes dozens of rows."""
MAX_BATCH_WEIGHT, MAX_UNSAVED_WEIGHT = 1_500, 3_000
"""Maximum weight of one transaction, so that others get their turn at the database, and of all jobs in memory."""
GATHER_BELOW_WEIGHT, GATHER_S = 600, 0.05
"""A lighter batch waits this long for more jobs: a transaction costs nearly the same for one job as for many."""


def save_collected(
    connection: Connection,
    jobs: Sequence[FinishedJob],
    diff: Differ,
    *,
    outbox: bool = False,
    planner: Planner | None = None,
    push: bool = False,
) -> dict[FeedId, Saved | None]:
    """Save a batch. A feed whose lease was lost maps to None, and nothing of it is written.

    With `outbox`, also note new items for Redis. With a `planner`, the new items decide when each feed runs next. With
    `push`, hubs are noted and their pushes judged.
    """
    held = _lock_held_leases(connection, jobs)
    saved: dict[FeedId, Saved | None] = {job.lease.feed.id: None for job in jobs}
    found = save_listed(connection, held, diff, outbox=outbox)
    for job in held:
        feed = job.lease.feed
        duplicate = save_move(connection, job) if job.moved_to else None
        if duplicate != feed.duplicate_of and job.outcome is Outcome.SUCCESS:
            update_feed(connection, feed.id, {"duplicate_of": duplicate})
        saved[feed.id] = Saved(
            feed_id=feed.id,
            added=found[feed.id].added,
            changed=found[feed.id].changed,
            duplicate_of=duplicate,
        )
    held, delays = _plan(connection, held, found, planner) if planner else (held, {})
    if push:
        held = note_push_results(connection, held, found, planner)
        note_hubs(connection, held)
    save_feeds(connection, held)
    save_schedules(connection, held, {key for key, value in found.items() if value})
    if first := [job.lease.feed.id for job in held if job.kind and job.lease.feed.kind is None]:
        save_lanes(connection, first)
    delete_found(connection, [job.lease.feed.id for job in held])
    note_changed_outcomes(connection, held)
    note_outcomes(connection, held, delays)
    return saved


def _plan(
    connection: Connection, jobs: Sequence[FinishedJob], found: Mapping[FeedId, Diff], planner: Planner
) -> tuple[list[FinishedJob], dict[FeedId, Delays]]:
    """Learn each feed's rhythm from its new items, save it, and plan its next run. Failed jobs stay as they are."""
    ended = {job.lease.feed.id: job for job in jobs}
    fetched = [key for key, job in ended.items() if job.outcome is Outcome.SUCCESS]
    known = load_rhythms(connection, fetched) if fetched else {}
    learned: dict[FeedId, Rhythm] = {}
    delays: dict[FeedId, Delays] = {}
    for key in fetched:
        planned = planner.plan(ended[key], found[key].added, known.get(key))
        ended[key] = replace(ended[key], next_run=planned.next_run)
        delays[key] = planned.delays
        if planned.rhythm is not None:
            learned[key] = planned.rhythm
    save_rhythms(connection, learned)
    return list(ended.values()), delays


def save_part(
    connection: Connection,
    part: ListingPart,
    diff: Differ,
    *,
    outbox: bool = False,
    planner: Planner | None = None,
) -> Saved | None:
    """Save one part of an unfinished job: only its items. Returns None, and writes nothing, if the lease was lost."""
    if not _lock_held_leases(connection, [part]):
        return None
    feed_id = part.lease.feed.id
    found = save_listed(connection, [part], diff, outbox=outbox)[feed_id]
    if part.position is not None:
        delete_found_part(connection, feed_id, part.position)
    if site_name := part.state.site:
        found = replace(found, changed=found.changed + settle_urls(connection, part, site_name))
    if found:
        s = feed_schedules.c
        connection.execute(
            update(feed_schedules).where(s.id == feed_id).values(build_at=db_after(s.build_at))
        )
    if planner and found.added:
        known = load_rhythms(connection, [feed_id]).get(feed_id)
        rhythm, delays = planner.learn(part.lease.feed, found.added, part.at, known)
        if rhythm is not None:
            save_rhythms(connection, {feed_id: rhythm})
        note_delays(connection, feed_id, part.at, delays)
    return Saved(feed_id=feed_id, added=found.added, changed=found.changed)


def save_listed(
    connection: Connection, jobs: Sequence[FinishedJob | ListingPart], diff: Differ, *, outbox: bool
) -> dict[FeedId, Diff]:
    """Compare what jobs list with what is stored, and save the difference."""
    known = load_known(connection, {job.lease.feed.id: job.listed for job in jobs if job.listed})
    found: dict[FeedId, Diff] = {}
    new: list[FeedItems] = []
    for job in jobs:
        feed = job.lease.feed
        listed = without_far_dates(job.listed, job.at)
        found[feed.id] = difference = diff(listed, known.get(feed.id, ())) if listed else Diff()
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
        difference = found[job.lease.feed.id]
        if difference.changed:
            save_changes(connection, difference.changed, run_id=job.run_id, at=job.at)
        if difference.upkeep:
            save_upkeep(connection, difference.upkeep)
    return found


def _lock_held_leases(connection: Connection, jobs: Sequence[J]) -> list[J]:
    """The jobs whose lease is still theirs; their rows stay locked until the commit."""
    s = feed_schedules.c
    ids = [job.lease.feed.id for job in jobs]
    # The id in its stored form: creating thousands of UUIDs only to compare them takes time.
    stored = type_coerce(s.id, Text)
    query = select(stored, s.lease_token).where(one_of(s.id, ids)).order_by(s.id).with_for_update()
    tokens: dict[Any, str | None] = {row[0]: row[1] for row in connection.execute(query)}
    return [job for job in jobs if tokens.get(stored_id(connection, job.lease.feed.id)) == job.lease.token]


class Writer:
    """Saves jobs as they finish. `async with Writer(db, diff) as writer: await writer.submit(job)`."""

    def __init__(
        self,
        database: Database,
        diff: Differ,
        *,
        outbox: bool = False,
        planner: Planner | None = None,
        push: bool = False,
    ) -> None:
        self._database = database
        self._outbox = outbox
        self._planner = planner
        self._push = push
        self._diff = diff
        self._waiting: list[tuple[FinishedJob, asyncio.Future[Saved]]] = []
        self._unsaved = 0
        self._room = asyncio.Event()
        self._room.set()
        self._wake = asyncio.Event()
        self._last_call = asyncio.Event()
        self._closing = False
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Writer:
        self._task = asyncio.create_task(self._run(), name="writer")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Write the waiting jobs, then stop."""
        self._closing = True
        self._wake.set()
        self._last_call.set()
        if self._task:
            await self._task

    async def wait_for_capacity(self) -> None:
        """Wait until there is room: this slows down a collector that is faster than the database."""
        await self._room.wait()

    def submit(self, job: FinishedJob) -> asyncio.Future[Saved]:
        """Return a future that is done once the job is committed; it raises `LeaseLostError` if the lease was lost."""
        done: asyncio.Future[Saved] = asyncio.get_running_loop().create_future()
        if self._closing:
            done.set_exception(StoreError(f"{job.lease.feed.url} was not saved: the worker is stopping."))
        else:
            self._waiting.append((job, done))
            self._add_unsaved(_weight(job))
            self._wake.set()
        return done

    def _add_unsaved(self, weight: int) -> None:
        self._unsaved += weight
        if self._unsaved < MAX_UNSAVED_WEIGHT:
            self._room.set()
        else:
            self._room.clear()

    def flush_soon(self) -> None:
        """Do not wait for more jobs before writing the current ones: none come for now."""
        self._last_call.set()

    async def save_alone(self, job: FinishedJob) -> Saved:
        """Save one job at once: for callers that have one job after another and nothing to gather."""
        saved = await self._database.write(
            save_collected,
            [job],
            self._diff,
            outbox=self._outbox,
            planner=self._planner,
            push=self._push,
        )
        if (result := saved[job.lease.feed.id]) is None:
            raise _lost(job)
        return result

    async def save_part(self, part: ListingPart) -> Saved:
        """Commit one part of an unfinished job. Not gathered, because the walk waits for it."""
        saved = await self._database.write(
            save_part, part, self._diff, outbox=self._outbox, planner=self._planner
        )
        if saved is None:
            raise _lost(part)
        return saved

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                if self._unsaved < GATHER_BELOW_WEIGHT and not self._closing:
                    await self._gather()
                batch, weight = self._take_batch()
                await self._save_batch(batch)
                self._add_unsaved(-weight)
            if self._closing:
                return

    def _take_batch(self) -> tuple[list[tuple[FinishedJob, asyncio.Future[Saved]]], int]:
        """The first waiting jobs, as many as fit into a transaction but at least one, and their weight.

        A feed is in it once: a job that lost its lease must not be taken for the one that has it now.
        """
        weight = 0
        feeds: set[FeedId] = set()
        for job, _ in self._waiting:
            if feeds and (weight + _weight(job) > MAX_BATCH_WEIGHT or job.lease.feed.id in feeds):
                break
            feeds.add(job.lease.feed.id)
            weight += _weight(job)
        number = len(feeds)
        batch, self._waiting = self._waiting[:number], self._waiting[number:]
        return batch, weight

    async def _gather(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(GATHER_S):
                await self._last_call.wait()
        self._last_call.clear()

    async def _save_batch(self, batch: list[tuple[FinishedJob, asyncio.Future[Saved]]]) -> None:
        try:
            saved = await self._database.write(
                save_collected,
                [job for job, _ in batch],
                self._diff,
                outbox=self._outbox,
                planner=self._planner,
                push=self._push,
            )
        except Exception as fault:
            # Any exception is reported by the job that caused it; the others are saved.
            if len(batch) == 1 or is_database_fault(fault):
                for _, done in batch:
                    _settle(done, fault)
                return
            for one in batch:
                await self._save_batch([one])
            return
        for job, done in batch:
            _settle(done, saved[job.lease.feed.id] or _lost(job))


def _weight(job: FinishedJob) -> int:
    return JOB_WEIGHT + len(job.listed)


def _lost(job: FinishedJob | ListingPart) -> LeaseLostError:
    return LeaseLostError(f"The lease of {job.lease.feed.url} went to another worker.")


def _settle(done: asyncio.Future[Saved], result: Saved | Exception) -> None:
    if done.done():
        return
    if isinstance(result, Exception):
        done.set_exception(result)
    else:
        done.set_result(result)
