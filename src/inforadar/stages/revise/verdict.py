"""The verdicts on a changed page. Apart from the judge, whose patterns a worker imports when a page has changed."""

from __future__ import annotations

from dataclasses import dataclass

from inforadar.model.revision import Revision


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """The article is the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotTheArticle:
    """The page is not the article: an error, a wall, or nothing."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubtful:
    """The page may be another one. It is believed if the next look finds the same."""

    reason: str
    text_key: str
    """By which the same text is recognized in the next look."""
    revision: Revision


Verdict = Unchanged | NotTheArticle | Doubtful | Revision
