"""Compares a page that was fetched again with the stored article, with the score of both wordings."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from inforadar.model.analysis import Subject
from inforadar.model.article import Extracted
from inforadar.model.http import Fetched
from inforadar.model.revision import SCORE_STEP, ChangeKind, Revision, Snapshot
from inforadar.stages.revise.verdict import Doubtful, Verdict

Score = Callable[[Subject], Awaitable[float | None]]
"""Scores a wording, from 0 to 1."""
KEPT_HEADERS = ("etag", "last-modified", "date", "age", "x-cache")
MAX_HEADER_CHARS = 300


def snapshot_of(found: Extracted, url: str) -> Snapshot:
    return Snapshot(
        text=found.clean_text,
        title=found.title,
        author=found.author,
        published_at=found.published_at,
        image=found.image,
        language=found.language,
        url=url,
    )


def kept_headers(page: Fetched) -> Mapping[str, str]:
    """Return the server's headers that a version keeps."""
    return {name: page.headers[name][:MAX_HEADER_CHARS] for name in KEPT_HEADERS if name in page.headers}


async def compare_versions(old: Snapshot, new: Snapshot, score: Score | None) -> Verdict:
    """Judge a look, in a thread, and measure how the wording's score moved."""
    verdict = await asyncio.to_thread(_judge, old, new)
    if score is None:
        return verdict
    if isinstance(verdict, Doubtful):
        return replace(verdict, revision=await with_scores(verdict.revision, old, new, score))
    return await with_scores(verdict, old, new, score) if isinstance(verdict, Revision) else verdict


def _judge(old: Snapshot, new: Snapshot) -> Verdict:
    # Its patterns take 40 ms to compile, and most workers never see a page that changed.
    from inforadar.stages.revise.judge import judge_look  # noqa: PLC0415 - slow, and rarely needed

    return judge_look(old, new)


async def with_scores(revision: Revision, old: Snapshot, new: Snapshot, score: Score) -> Revision:
    """The revision with the score of both wordings, by one analyzer, so that the two can be compared."""
    if not revision.kinds - {ChangeKind.TYPO, ChangeKind.AUTHOR, ChangeKind.DATE, ChangeKind.PICTURE}:
        return revision
    before, after = await score(_subject(old)), await score(_subject(new))
    kinds = revision.kinds
    if before is not None and after is not None and abs(after - before) > SCORE_STEP:
        kinds |= {ChangeKind.SCORE}
    return replace(revision, score_before=before, score_after=after, kinds=kinds)


def _subject(snapshot: Snapshot) -> Subject:
    return Subject(
        url=snapshot.url,
        title=snapshot.title or "",
        description="",
        text=snapshot.text,
        language=snapshot.language,
    )
