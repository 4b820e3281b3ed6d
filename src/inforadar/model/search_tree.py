"""A query in the search language as a tree of terms. Pure; `search.py` parses it from text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Word:
    """Words of the title, neutral title or text; a star at the end stands for any ending."""

    text: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that follow each other."""

    text: str


@dataclass(frozen=True, slots=True)
class InTitle:
    """Words that follow each other in the title or neutral title."""

    text: str


@dataclass(frozen=True, slots=True)
class Source:
    name: str


@dataclass(frozen=True, slots=True)
class Topic:
    name: str


@dataclass(frozen=True, slots=True)
class Language:
    code: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A time: a fixed one, or a time before now."""

    at: datetime | None = None
    ago: timedelta | None = None

    def resolve(self, now: datetime) -> datetime:
        return self.at if self.at is not None else now - (self.ago or timedelta(0))


@dataclass(frozen=True, slots=True)
class Before:
    moment: Moment


@dataclass(frozen=True, slots=True)
class After:
    moment: Moment


@dataclass(frozen=True, slots=True)
class ScoreRange:
    low: float = 0.0
    high: float = 1.0
    has_low: bool = True
    """Whether `low` itself is in the range."""
    has_high: bool = True


@dataclass(frozen=True, slots=True)
class StorySize:
    """How many sources report the story of an item."""

    low: int
    high: int | None = None


@dataclass(frozen=True, slots=True)
class InStory:
    id: UUID


@dataclass(frozen=True, slots=True)
class Changed:
    """An item that changed after it was first seen, in its listing or its text."""

    what: str | None = None
    """Only changes of this field of the listing, or revisions of this kind (`ChangeKind`), or `significant` ones."""
    since: Moment | None = None


@dataclass(frozen=True, slots=True)
class HasMark:
    """An item with a mark of the reader."""

    mark: str


@dataclass(frozen=True, slots=True)
class HasLabel:
    label: str


@dataclass(frozen=True, slots=True)
class Not:
    node: Node


@dataclass(frozen=True, slots=True)
class All:
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    nodes: tuple[Node, ...]


Leaf = (
    Word
    | Phrase
    | InTitle
    | Source
    | Topic
    | Language
    | Before
    | After
    | ScoreRange
    | StorySize
    | InStory
    | Changed
    | HasMark
    | HasLabel
)
Node = Leaf | Not | All | AnyOf


def asked_changes(node: Node | None) -> tuple[Changed, ...]:
    """The changes that a query asks for; those that it excludes are left out."""
    match node:
        case Changed():
            return (node,)
        case All(nodes) | AnyOf(nodes):
            return tuple(change for one in nodes for change in asked_changes(one))
        case _:
            return ()


def shows_everything(node: Node) -> bool:
    """Whether a query has no positive term: it would match nearly every item."""
    match node:
        case Not():
            return True
        case All(nodes):
            return all(map(shows_everything, nodes))
        case AnyOf(nodes):
            return any(map(shows_everything, nodes))
        case _:
            return False
