"""Revisions: what an outlet changed in an article after it was published.

A version is an article as one look found it, a revision is the difference between two versions that follow each
other. Its kinds tell what matters (a number, a name, a headline) from what does not (a typo).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from inforadar.model.ids import Uid


class LookState(StrEnum):
    """Whether an article is still looked at."""

    WATCHED = "watched"
    UNSTABLE = "unstable"
    """Its page changes with every request, so it is left alone."""


class ChangeKind(StrEnum):
    """A kind of change; `changed:number` in a rule asks for one of these words."""

    TITLE = "title"
    NUMBER = "number"
    NAME = "name"
    QUOTATION = "quotation"
    NEGATION = "negation"
    """A "not" that came or went."""
    REMOVED = "removed"
    """A sentence or a paragraph is gone."""
    ADDED = "added"
    SCORE = "score"
    """The wording's score moved."""
    WORDING = "wording"
    AUTHOR = "author"
    DATE = "date"
    PICTURE = "picture"
    TYPO = "typo"


SIGNIFICANT = frozenset(
    {
        ChangeKind.TITLE,
        ChangeKind.NUMBER,
        ChangeKind.NAME,
        ChangeKind.QUOTATION,
        ChangeKind.NEGATION,
        ChangeKind.REMOVED,
        ChangeKind.ADDED,
        ChangeKind.SCORE,
    }
)
"""Kinds that make a revision worth telling; the others are kept and folded."""
SCORE_STEP = 0.15
"""A score that moves by more than this is a change of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The parts of an article that are compared."""

    text: str
    """The clean text; paragraphs are separated by a blank line."""
    title: str | None = None
    author: str | None = None
    published_at: datetime | None = None
    image: str | None = None
    language: str | None = None
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedPassage:
    """A sentence or paragraph before and after; one of the two is empty if it was added or removed."""

    old: str
    new: str
    kinds: tuple[ChangeKind, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """The difference between two versions."""

    kinds: frozenset[ChangeKind]
    passages: tuple[ChangedPassage, ...] = ()
    """The changed passages of the text, the weightiest first."""
    fields: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Old and new title, author, date or picture, where they changed."""
    note: str = ""
    """The article's own words about the change; empty if it is silent."""
    is_live: bool = False
    """A live page that only grows: its additions are no corrections."""
    score_before: float | None = None
    score_after: float | None = None

    @property
    def is_noted(self) -> bool:
        return bool(self.note)

    @property
    def is_significant(self) -> bool:
        return bool(self.kinds & SIGNIFICANT) and not self.is_live


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVersion:
    """An article as one look found it."""

    uid: Uid
    number: int
    """1 is the first version that was seen."""
    snapshot: Snapshot
    hash: str
    """SHA-256 of the clean text in UTF-8."""
    seen_at: datetime
    last_seen_at: datetime
    headers: Mapping[str, str] = field(default_factory=dict)
    """The server's headers: `etag`, `last-modified` and `date`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRevision:
    """A revision as it is kept, with the numbers of its two versions."""

    id: UUID
    uid: Uid
    url: str
    at: datetime
    """When the new version was first seen."""
    old_version: int
    new_version: int
    revision: Revision
