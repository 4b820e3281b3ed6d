"""Walking the files of a sitemap: decides which to fetch, reads them, and stores the result file by file.

    index ──► children whose lastmod moved ──► conditional GET ──► same bytes? ──► read in batches ──► stored

A file that answers 304, has the same bytes as before, or did not change according to its index is not read; its URLs
still count as listed. A file that was not read for a long time is requested without validators, and read. Each batch
is one fenced transaction, and a file's validators are saved with its last batch.

A walk may take several runs: a site may answer only so many requests at a time. The files that a run asked for are
marked until the walk comes to its end, so that the next run spends its requests on the others.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from itertools import islice
from typing import NamedTuple, ParamSpec, TypeVar

from inforadar.errors import CutOffError, ParseError
from inforadar.model.feed_warning import FeedWarning
from inforadar.model.http import (
    Failed,
    FailureReason,
    Fetched,
    FetchResult,
    NotModified,
    Outcome,
    Request,
    Validators,
)
from inforadar.model.sitemap import SitemapEntry, SitemapForm, SitemapRef, UrlState
from inforadar.pipeline.collect.jobs import Job
from inforadar.pipeline.polite_visit import Visitor
from inforadar.pipeline.schedule import is_check_due
from inforadar.stages.discover.sitemap.filter import SitemapFilter, UnsafePatterns, sort_entries_by_date
from inforadar.stages.discover.sitemap.parse import CUT_OFF, SitemapReader
from inforadar.stages.discover.sitemap.queue import (
    MAX_DEPTH,
    MAX_FILES,
    FileVisit,
    SitemapQueue,
    SkipReason,
)
from inforadar.stages.discover.sitemap.xml import Row
from inforadar.store.database import Database, Question
from inforadar.store.sitemaps.queries import SitemapFile, load_files, new_file
from inforadar.store.sitemaps.record import mark_urls, save_site
from inforadar.store.sitemaps.save_files import end_walk, fenced, finish_file, save_file, save_rows
from inforadar.urls import UrlHash, hostname, readable, url_hash

P = ParamSpec("P")
T = TypeVar("T")

ACCEPT = "application/xml, text/xml;q=0.9, text/plain;q=0.8, */*;q=0.5"
BATCH = 5_000
SETTLES_AFTER = timedelta(hours=1)
"""How old a lastmod must be to be trusted: a file may change again under the same lastmod. Caches and clocks are off
by less than this."""
DAY_SETTLES_AFTER = timedelta(hours=38)
"""The same for a lastmod without a time: the day lasts 24 hours and may end up to 14 hours later in another zone."""


MatchUrls = Callable[[UnsafePatterns, list[str]], Awaitable[frozenset[str]]]


class Todo(NamedTuple):
    """A page to be saved as an item, or to be published again because it changed."""

    entry: SitemapEntry
    is_modified: bool = False


_WHY = {
    SkipReason.TOO_DEEP: f"it is more than {MAX_DEPTH} indexes deep",
    SkipReason.TOO_MANY: f"the site has more than {MAX_FILES:,} files",
    SkipReason.OTHER_HOST: "it is on another host; allow that with `feed edit --any-host`",
}
MAX_REFUSALS_TOLD = 20
"""Maximum number of left-out and of cut-off files that are reported."""
_NOTHING_BEFORE_THE_CUT = "The sitemap was cut off before its first complete URL."


@dataclass(slots=True, kw_only=True)
class SitemapWalk:
    """One walk over a site's files; its fields hold the result when it has ended."""

    job: Job
    visitor: Visitor
    database: Database
    site_name: str
    files: dict[UrlHash, SitemapFile]
    wanted: SitemapFilter
    unsafe: UnsafePatterns | None
    match_urls: MatchUrls
    """Runs `unsafe` where it can be stopped."""
    baseline_items: int
    """How many of the newest URLs of a first run, and of files that it missed, become items."""
    is_first: bool
    """Whether this is the first run; later, every new URL becomes an item."""
    max_bytes: int
    timeout_s: float
    now: Callable[[], datetime]
    is_known: bool
    """Whether the site has a row. It gets one with the first write, so a URL that is no sitemap leaves none behind."""
    first: Fetched | None = None
    """The root file, if it was already fetched."""
    root: Fetched | NotModified | None = None
    failed: Failed | None = None
    """Why the walk ended early."""
    read: int = 0
    """Number of files that are sitemaps, changed or not."""
    lists: int = 0
    """How many of them list pages."""
    checked: int = 0
    """How many files this run asked for and got an answer, the root not counted."""
    dropped: int = 0
    warnings: list[FeedWarning] = field(default_factory=list)
    """About the files that were read."""
    candidates: list[SitemapEntry] = field(default_factory=list)
    """The newest entries of a first run, or of files that it missed."""
    refused: list[str] = field(default_factory=list)
    """Sentences about the first files that were left out."""
    matched: frozenset[str] | None = None
    """The URLs of the batch at hand that `unsafe` let pass."""
    queue: SitemapQueue = field(init=False)

    def __post_init__(self) -> None:
        feed = self.job.feed
        self.queue = SitemapQueue(feed.url, any_host=not feed.enforce_feed_domain)

    async def run(self) -> AsyncGenerator[list[Todo], None]:
        """Yield the pages to process of each file, once the file is stored."""
        while self.failed is None and (visit := self.queue.next()):
            known = self.files.get(url_hash(visit.url))
            if known and self._needs_no_request(visit, known):
                if known.form is not None:
                    self._count(known)
                self._queue_children(visit, known, self._known_children(known))
                continue
            file, asked_at = known or new_file(visit.url), self.now()
            is_check = is_check_due(file.read_at, asked_at)
            result = await self._fetch(file, is_check=is_check)
            if visit.depth == 0 and not isinstance(result, Failed):
                self.root = result
                self.queue.add_host(result.final_url)
            file = replace(file, parent_id=visit.parent_id, lastmod=self._settled(visit.lastmod, asked_at))
            match result:
                case Failed():
                    self._fetch_failed(visit, result)
                case NotModified():
                    await self._unchanged(replace(file, validators=result.validators or file.validators))
                    self._queue_children(visit, file, self._known_children(file))
                case Fetched():
                    digest = await asyncio.to_thread(_digest, result.body)
                    if file.read_at and digest == file.digest and not is_check:
                        await self._unchanged(replace(file, validators=result.validators))
                        self._queue_children(visit, file, self._known_children(file))
                        continue
                    children: list[SitemapRef] = []
                    todo = await self._read(visit, replace(file, digest=digest), result, children)
                    self._queue_children(visit, file, children)
                    if todo:
                        yield todo
            if known and visit.depth and self.failed is None and self.files.get(url_hash(visit.url)) is known:
                # It was left out as it is stored, which costs a request too.
                await self._write(save_file, self.site_name, self._checked(known))
        if self.failed is None and any(file.checked_at for file in self.files.values()):
            await self._write(end_walk, self.site_name)

    def _needs_no_request(self, visit: FileVisit, known: SitemapFile) -> bool:
        """Whether the file did not change according to its index, or an earlier run of this walk asked for it."""
        if known.read_at and visit.lastmod and visit.lastmod == known.lastmod:
            return True
        if visit.depth == 0 or known.checked_at is None:
            return False
        return visit.lastmod is None or visit.lastmod <= known.checked_at

    def _checked(self, file: SitemapFile) -> SitemapFile:
        """The file, marked as asked for; the root is not, because every run asks for it."""
        if file.parent_id is None:
            return file
        self.checked += 1
        checked = replace(file, checked_at=self.now())
        self.files[url_hash(file.url)] = checked
        return checked

    def _queue_children(self, visit: FileVisit, file: SitemapFile, children: Iterable[SitemapRef]) -> None:
        # The newest first, so that an interrupted walk has the latest news.
        newest_first = sorted(children, key=_age, reverse=True)
        for skipped in self.queue.add(newest_first, listed_by=visit, parent_id=file.id):
            self._refuse(skipped.url, _WHY[skipped.reason])

    def _refuse(self, url: str, why: str) -> None:
        if len(self.refused) < MAX_REFUSALS_TOLD:
            sentence = f"The sitemap {readable(url)} was left out: {why}."
            self.job.progress.line(sentence)
            self.refused.append(sentence)

    def _settled(self, lastmod: datetime | None, asked_at: datetime) -> datetime | None:
        """The lastmod if the file can no longer change under it, else None."""
        if lastmod is None or asked_at - lastmod < SETTLES_AFTER:
            return None
        is_day = lastmod.astimezone(self.job.feed.zone).time() == time.min
        return None if is_day and asked_at - lastmod < DAY_SETTLES_AFTER else lastmod

    async def _fetch(self, file: SitemapFile, *, is_check: bool) -> FetchResult:
        if self.first is not None and file.url == self.first.url:
            return self.first
        # A file that was not stored to its end is requested as a whole.
        validators = file.validators if file.read_at and not is_check else Validators()
        return await self.visitor.fetch(
            Request(
                url=file.url,
                validators=validators,
                accept=ACCEPT,
                max_bytes=self.max_bytes,
                timeout_s=self.timeout_s,
                headers=self.job.headers_for(file.url),
            )
        )

    def _fetch_failed(self, visit: FileVisit, failed: Failed) -> None:
        """End the walk if the root failed or the host asks for fewer requests; otherwise leave out this file."""
        is_quiet = failed.is_rate_limited or failed.reason is FailureReason.TURN
        if visit.depth == 0 or is_quiet:
            self.failed = failed
        else:
            self._refuse(visit.url, failed.message.rstrip("."))

    async def _unchanged(self, file: SitemapFile) -> None:
        self._count(file)
        await self._write(save_file, self.site_name, self._checked(file))

    def _count(self, file: SitemapFile) -> None:
        self.read += 1
        self.lists += file.form is not SitemapForm.INDEX

    async def _write(self, question: Question[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if not self.is_known:
            url, at = self.job.feed.url, self.now()
            await self.database.write(
                fenced, self.job.lease, save_site, self.site_name, at=at, sitemap_url=url
            )
            self.is_known = True
        return await self.database.write(fenced, self.job.lease, question, *args, **kwargs)

    def _known_children(self, file: SitemapFile) -> Iterator[SitemapRef]:
        """The files that an unchanged index listed before."""
        for child in self.files.values():
            if child.parent_id == file.id:
                yield SitemapRef(child.url, child.listed_lastmod)

    async def _read(
        self, visit: FileVisit, file: SitemapFile, fetched: Fetched, children: list[SitemapRef]
    ) -> list[Todo]:
        at, todo, count, is_whole = self.now(), list[Todo](), 0, True
        try:
            reader = await asyncio.to_thread(
                SitemapReader,
                fetched.body,
                fetched.final_url,
                fetched.content_type,
                max_bytes=self.max_bytes,
                zone=self.job.feed.zone,
            )
            rows = iter(reader)
            while batch := await asyncio.to_thread(_batch, rows):
                entries = [row for row in batch if isinstance(row, SitemapEntry)]
                children += [row for row in batch if isinstance(row, SitemapRef)]
                if len(children) > 2 * MAX_FILES:
                    is_whole = False
                    children.sort(key=_age, reverse=True)
                    del children[MAX_FILES:]
                if entries:
                    if not count and self._is_elsewhere(visit, entries):
                        return []
                    count += len(entries)
                    todo += await self._save(file, entries, at)
        except ParseError as fault:
            self._fetch_failed(visit, _no_sitemap(fetched, fault))
            return []
        if not (reader.is_whole or count or children):
            self._fetch_failed(visit, _no_sitemap(fetched, CutOffError(_NOTHING_BEFORE_THE_CUT)))
            return []
        cut_off = () if reader.is_whole or CUT_OFF in reader.warnings else (CUT_OFF,)
        for warning in (*reader.warnings, *cut_off):
            said = f"{readable(file.url)}: {warning.text}"
            self.warnings.append(replace(warning, text=said))
            self.job.progress.line(said)
        file = replace(file, form=reader.form)
        self._count(file)
        if file.is_baseline:
            todo = await self._only_newest(todo)
        await self._finish(file, fetched, at, is_whole=is_whole and reader.is_whole, children=children)
        if reader.form is not SitemapForm.INDEX:
            modified = sum(one.is_modified for one in todo)
            news = f"{len(todo) - modified:,} new, {modified:,} changed"
            said = "all of them new" if self.is_first else news
            self.job.progress.line(f"{readable(file.url)}: {count:,} pages, {said}")
        return todo

    async def _finish(
        self, file: SitemapFile, fetched: Fetched, at: datetime, *, is_whole: bool, children: list[SitemapRef]
    ) -> None:
        if is_whole:
            file = replace(file, validators=fetched.validators, read_at=at)
        else:
            # The rest is missing, so neither its bytes nor its lastmod may mark the file as read.
            file = replace(file, validators=Validators(), digest=None, lastmod=None)
        file = self._checked(file)
        await self._write(finish_file, self.site_name, file, is_whole=is_whole, children=children)
        if children:
            self.files = await self.database.read(load_files, self.site_name)

    def _is_elsewhere(self, visit: FileVisit, entries: list[SitemapEntry]) -> bool:
        if any(self.queue.is_own(entry.url) for entry in entries):
            return False
        hosts = sorted({hostname(entry.url) for entry in entries})
        where = ", ".join(hosts[:3]) + (" and others" if len(hosts) > 3 else "")
        self.dropped += len(entries)
        self._refuse(visit.url, f"all its pages are on {where}; allow that with `feed edit --any-host`")
        return True

    def _is_wanted(self, entry: SitemapEntry) -> bool:
        return (
            self.queue.is_own(entry.url)
            and (self.matched is None or entry.url in self.matched)
            and self.wanted(entry)
        )

    async def _save(self, file: SitemapFile, entries: list[SitemapEntry], at: datetime) -> list[Todo]:
        if self.unsafe:
            self.matched = await self.match_urls(self.unsafe, [entry.url for entry in entries])
        if self.job.feed.enforce_feed_domain:
            self.dropped += sum(1 for entry in entries if not self.queue.is_own(entry.url))
        found = await self._write(
            save_rows,
            self.site_name,
            entries,
            at=at,
            file_id=file.id,
            wanted=self._is_wanted,
            baseline=self._newest_with(entries) if self.is_first or file.is_baseline else None,
        )
        if self.is_first or not found:
            return []
        by_url = {entry.url: entry for entry in entries}
        return [Todo(by_url[one.url], one.is_modified) for one in found]

    def _newest_with(self, entries: list[SitemapEntry]) -> frozenset[str]:
        newest = [*self.candidates, *filter(self._is_wanted, entries)]
        self.candidates = sort_entries_by_date(newest, max_items=self.baseline_items)
        return frozenset(entry.url for entry in self.candidates)

    async def _only_newest(self, todo: list[Todo]) -> list[Todo]:
        """Keep only the newest URLs; mark those that later batches pushed out as processed."""
        newest = {entry.url for entry in self.candidates}
        kept = [one for one in todo if one.entry.url in newest]
        seen = {one.entry.url for one in todo} - {one.entry.url for one in kept}
        await self._write(mark_urls, self.site_name, seen, UrlState.PROCESSED)
        return kept


def _batch(rows: Iterator[Row]) -> list[Row]:
    return list(islice(rows, BATCH))


def _age(ref: SitemapRef) -> float:
    return ref.lastmod.timestamp() if ref.lastmod else 0.0


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _no_sitemap(fetched: Fetched, fault: ParseError) -> Failed:
    return Failed(
        url=fetched.url,
        outcome=Outcome.TEMPORARY_ERROR if isinstance(fault, CutOffError) else Outcome.PERMANENT_ERROR,
        reason=FailureReason.BROKEN,
        message=str(fault),
        fetched_at=fetched.fetched_at,
    )
