"""Save what a look at an article found: a new version with its revision, or that nothing changed."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from inforadar.model.article import Extracted
from inforadar.model.http import Validators
from inforadar.model.ids import Uid, new_uuid
from inforadar.model.revision import LookState, Revision
from inforadar.store.articles.values import article_values, lock_schedules, queue_builds, wake_items
from inforadar.store.redis.outbox import note_article
from inforadar.store.revisions.claims import LookJob, due_unless_requested
from inforadar.store.revisions.prune import MAX_LIVE_VERSIONS, prune_versions
from inforadar.store.schema.articles import articles
from inforadar.store.schema.items import items
from inforadar.store.schema.revisions import article_looks, article_revisions, article_versions
from inforadar.store.schema.search import search_queue

_a, _l, _v, _r = articles.c, article_looks.c, article_versions.c, article_revisions.c


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """A version that a fetch found, and how it differs from the stored one."""

    extracted: Extracted
    revision: Revision
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LookEnding:
    """How a look at an article ended."""

    job: LookJob
    at: datetime
    due_at: datetime | None
    """The next look; None if there is none."""
    new: NewVersion | None = None
    is_current: bool = False
    """The stored text is the page's: it was compared, or the server answered 304."""
    validators: Validators | None = None
    """The page's validators; None keeps the stored ones."""
    changed_in_row: int = 0
    doubt: str | None = None
    note: str = ""
    is_unstable: bool = False


def save_look(connection: Connection, ending: LookEnding, *, max_versions: int, outbox: bool = False) -> bool:
    """Save the end of a look. Returns False if the lease was lost, or the article was fetched anew meanwhile."""
    job = ending.job
    if ending.new is not None:
        # Schedules before article and items: the writer uses the same order.
        lock_schedules(connection, job.url)
    stored = connection.execute(select(articles).where(_a.uid == job.uid).with_for_update()).first()
    is_stale = stored is None or (stored.clean_text or "") != job.snapshot.text
    held = connection.execute(
        update(article_looks)
        .where(_l.uid == job.uid, _l.lease_token == job.token)
        .values(
            locked_until=None,
            lease_token=None,
            looked_at=ending.at,
            due_at=due_unless_requested(ending.due_at),
            state=(LookState.UNSTABLE if ending.is_unstable else LookState.WATCHED).value,
            changed_in_row=ending.changed_in_row,
            doubt=ending.doubt,
            note=ending.note,
        )
        .returning(_l.uid)
    ).first()
    if held is None or is_stale:
        return False
    if ending.is_unstable:
        noise = {"is_noise": True, "is_significant": False}
        connection.execute(update(article_revisions).where(_r.uid == job.uid).values(**noise))
    if ending.new is not None:
        record_revision(connection, job.uid, stored, ending.new, ending.at, max_versions=max_versions)
        connection.execute(update(articles).where(_a.uid == job.uid).values(**_current(ending, ending.new)))
        queue_builds(connection, job.url)
        wake_items(connection, job.url, is_new=True, again=True)
        if outbox:
            note_article(connection, job.uid, ending.at, None)
    elif ending.is_current:
        connection.execute(update(articles).where(_a.uid == job.uid).values(**_current(ending, None)))
        last = select(func.max(_v.number)).where(_v.uid == job.uid).scalar_subquery()
        connection.execute(
            update(article_versions)
            .where(_v.uid == job.uid, _v.number == last)
            .values(last_seen_at=ending.at)
        )
    return True


def _current(ending: LookEnding, new: NewVersion | None) -> dict[str, Any]:
    given = ending.validators
    values: dict[str, Any] = {"fetched_at": ending.at, "updated_at": ending.at}
    if given is not None:
        values |= {"etag": given.etag, "last_modified": given.last_modified, "validators_url": given.url}
    return values | (article_values(new.extracted) if new else {})


def record_revision(
    connection: Connection, uid: Uid, stored: Any, new: NewVersion, at: datetime, *, max_versions: int
) -> None:
    """Add the new version and its revision; `stored` is the article's row before, kept as version 1 if it is the first.

    The caller has locked the article.
    """
    last = connection.execute(select(func.max(_v.number)).where(_v.uid == uid)).scalar()
    if last is None:
        last = 1
        first_at = connection.execute(select(_l.first_at).where(_l.uid == uid)).scalar()
        seen_at = min(time for time in (first_at, stored.fetched_at, at) if time is not None)
        headers = {"etag": stored.etag, "last-modified": stored.last_modified}
        row = _version_row(uid, 1, stored, seen_at=seen_at, last_seen_at=stored.fetched_at or at)
        kept = {name: value for name, value in headers.items() if value}
        connection.execute(insert(article_versions).values(**row, headers=kept))
    row = _version_row(uid, last + 1, new.extracted, seen_at=at, last_seen_at=at)
    connection.execute(insert(article_versions).values(**row, headers=dict(new.headers)))
    revision = new.revision
    connection.execute(
        insert(article_revisions).values(
            id=new_uuid(),
            uid=uid,
            at=at,
            old_version=last,
            new_version=last + 1,
            kinds=sorted(kind.value for kind in revision.kinds),
            is_significant=revision.is_significant,
            is_live=revision.is_live,
            note=revision.note,
            details=_details(revision),
            score_before=revision.score_before,
            score_after=revision.score_after,
        )
    )
    # Rules look at the items once their words are indexed; a change of the title alone would not be.
    changed = select(items.c.id).where(items.c.uid == uid, items.c.url == stored.url)
    connection.execute(insert(search_queue).from_select(["item_id"], changed))
    prune_versions(connection, uid, MAX_LIVE_VERSIONS if revision.is_live else max_versions)


def _version_row(
    uid: Uid, number: int, of: Any, *, seen_at: datetime, last_seen_at: datetime
) -> dict[str, Any]:
    """The row of a version of this article's row, or of what was extracted."""
    text = of.clean_text or ""
    encoded = text.encode(errors="replace")
    return {
        "uid": uid,
        "number": number,
        "seen_at": seen_at,
        "last_seen_at": last_seen_at,
        "hash": hashlib.sha256(encoded).hexdigest(),
        "title": of.title,
        "author": of.author,
        "published_at": of.published_at,
        "image": of.image,
        "language": of.language,
        "text": zlib.compress(encoded, 9),
        "text_len": len(text),
    }


def _details(revision: Revision) -> dict[str, Any]:
    return {
        "passages": [
            {"old": passage.old, "new": passage.new, "kinds": [kind.value for kind in passage.kinds]}
            for passage in revision.passages
        ],
        "fields": {name: list(values) for name, values in revision.fields.items()},
    }
