"""Decides how a look ends: what is kept, and when the next look is due. Pure.

A page that changed in two looks is looked at once more within minutes. If it differs again, it changes with every
request, and is left alone. An article that was really edited twice is the same two minutes later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import assert_never

from inforadar.model.article import Extracted
from inforadar.model.http import Validators
from inforadar.model.revision import Revision
from inforadar.stages.revise.verdict import Doubtful, NotTheArticle, Unchanged, Verdict
from inforadar.store.revisions.claims import LookJob
from inforadar.store.revisions.save import LookEnding, NewVersion

CHECK_AFTER = timedelta(minutes=2)
"""How soon a page that changed twice is looked at again."""
CHANGES_BEFORE_CHECK = 2
DOUBT_AFTER = timedelta(hours=1)
"""How soon a page that shares almost nothing with the article is looked at again."""
UNSTABLE_NOTE = "The page changes with every request, so it is not compared any more."


def next_due(first_at: datetime, now: datetime, hours: Sequence[float]) -> datetime | None:
    """The first planned time after now; None if all are over."""
    planned = (first_at + timedelta(hours=step) for step in sorted(hours))
    return next((at for at in planned if at > now), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A look at one article, at one time."""

    job: LookJob
    now: datetime
    hours: Sequence[float]

    @property
    def due_at(self) -> datetime | None:
        return next_due(self.job.first_at, self.now, self.hours)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPage:
    """The page as a look found it."""

    extracted: Extracted
    validators: Validators
    headers: Mapping[str, str]


def end_unseen(look: Look, note: str) -> LookEnding:
    """The page could not be fetched or read: nothing is replaced, and the note says why."""
    job = look.job
    return LookEnding(
        job=job,
        at=look.now,
        due_at=look.due_at,
        changed_in_row=job.changed_in_row,
        doubt=job.doubt,
        note=note,
    )


def end_current(look: Look, validators: Validators | None) -> LookEnding:
    """The article is the same."""
    return LookEnding(job=look.job, at=look.now, due_at=look.due_at, is_current=True, validators=validators)


def end_compared(look: Look, verdict: Verdict, page: FoundPage) -> LookEnding:
    """The page was read and compared."""
    match verdict:
        case Unchanged():
            return end_current(look, page.validators)
        case NotTheArticle(reason=reason):
            return end_unseen(look, reason)
        case Doubtful(reason=reason, text_key=key, revision=revision):
            if look.job.doubt == key:
                return _end_changed(look, revision, page)
            soon = look.now + DOUBT_AFTER
            due_at = min(look.due_at, soon) if look.due_at else soon
            return replace(end_unseen(look, reason), doubt=key, due_at=due_at)
        case Revision():
            return _end_changed(look, verdict, page)
        case _:
            assert_never(verdict)


def _end_changed(look: Look, revision: Revision, page: FoundPage) -> LookEnding:
    job = look.job
    if job.changed_in_row >= CHANGES_BEFORE_CHECK and not revision.is_live:
        return LookEnding(job=job, at=look.now, due_at=None, is_unstable=True, note=UNSTABLE_NOTE)
    changed_in_row = 0 if revision.is_live else job.changed_in_row + 1
    return LookEnding(
        job=job,
        at=look.now,
        due_at=look.now + CHECK_AFTER if changed_in_row >= CHANGES_BEFORE_CHECK else look.due_at,
        new=NewVersion(extracted=page.extracted, revision=revision, headers=page.headers),
        validators=page.validators,
        changed_in_row=changed_in_row,
    )
