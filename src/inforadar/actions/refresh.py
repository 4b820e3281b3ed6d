"""Fetch one article again on request: conditionally, at the host's pace, and without ever losing a stored text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from inforadar.errors import UsageError
from inforadar.model.article import Extracted, NotExtracted
from inforadar.model.http import Failed, NotModified
from inforadar.model.ids import Uid
from inforadar.pipeline.articles import Canonicalizer
from inforadar.pipeline.heartbeat import keep_leases
from inforadar.pipeline.polite_visit import Visitor
from inforadar.store.articles.claims import claim_article, extend_articles, release_articles
from inforadar.store.articles.queries import load_article
from inforadar.store.articles.save import ArticleEnding


class RefreshOutcome(StrEnum):
    NOT_MODIFIED = "not_modified"
    """The server answered 304."""
    SAME = "same"
    """Downloaded again, with the same text."""
    CHANGED = "changed"
    STORED = "stored"
    """Stored for the first time."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """The result of a refresh."""

    outcome: RefreshOutcome
    before_len: int | None
    """Length of the text stored before, if there was one."""
    after_len: int | None
    failure: NotExtracted | None = None


async def refresh_article(canonicalizer: Canonicalizer, uid: Uid) -> Refreshed:
    """Fetch the page if it changed; the stored text stays unless there is a new one."""
    database = canonicalizer.database
    known = await database.read(load_article, uid)
    job = await database.write(claim_article, uid)
    if job is None:
        raise UsageError("A worker is fetching this article right now. Try again in a moment.")
    held = {job.uid: job}
    async with keep_leases(database, held, extend=extend_articles, release=release_articles):
        async with Visitor(canonicalizer.engine, canonicalizer.robots, "", canonicalizer.now) as visitor:
            ending = await canonicalizer.visit_article(job, visitor)
        if isinstance(ending, Failed):
            raise UsageError(ending.message)
    if canonicalizer.projection:
        await canonicalizer.projection.publish()
    if ending is None:
        raise UsageError("Another worker has taken over this article. Try again in a moment.")
    return _refreshed(ending, known.extracted if known else None)


def _refreshed(ending: ArticleEnding, before: Extracted | None) -> Refreshed:
    before_len = before.text_len if before else None
    match ending.result:
        case NotModified():
            return Refreshed(outcome=RefreshOutcome.NOT_MODIFIED, before_len=before_len, after_len=before_len)
        case NotExtracted():
            return Refreshed(
                outcome=RefreshOutcome.FAILED,
                before_len=before_len,
                after_len=before_len,
                failure=ending.result,
            )
        case Extracted() as after:
            if before is None:
                outcome = RefreshOutcome.STORED
            else:
                is_same = after.clean_text == before.clean_text
                outcome = RefreshOutcome.SAME if is_same else RefreshOutcome.CHANGED
            return Refreshed(outcome=outcome, before_len=before_len, after_len=after.text_len)


def refreshed_sentence(refreshed: Refreshed) -> str:
    """The result as a sentence. It may contain text from the page: escape it where it is shown."""
    before, after = refreshed.before_len, refreshed.after_len
    match refreshed.outcome:
        case RefreshOutcome.NOT_MODIFIED:
            return "not modified since the last download; nothing was downloaded."
        case RefreshOutcome.SAME:
            return "downloaded again; the text is the same."
        case RefreshOutcome.CHANGED:
            return f"the text changed: {before} → {after} characters. It will be analyzed again."
        case RefreshOutcome.STORED:
            return f"stored, {after} characters."
        case RefreshOutcome.FAILED:
            failure = refreshed.failure
            why = f"{failure.detail.rstrip('.')} ({failure.code.value})" if failure else "unknown"
            kept = f" The text of {before} characters stays." if before is not None else ""
            return f"failed: {why}.{kept}"
