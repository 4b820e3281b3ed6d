"""The items and stories that a new item is compared with: those of the last 72 hours, or the part of them that matters.

In the database the window is an index of heavy keys. What is loaded for a batch of items is put in here, so that the
decisions do not depend on where the window is kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import itemgetter
from typing import TYPE_CHECKING

from inforadar.model.ids import ItemId, StoryId
from inforadar.stages.group.copies import TextPrint
from inforadar.stages.group.signature import Signature, Vector
from inforadar.stages.group.similarity import Weighed, number_weights, weigh, word_weights
from inforadar.stages.group.vocabulary import Vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WINDOW = timedelta(hours=72)
HEAVY_KEYS = 14
"""How many of an item's heaviest words are in the index."""
MAX_PER_KEY = 60
"""How many of the newest items with a word are looked at: a generic word leads to no more."""
MAX_CANDIDATES = 16
"""How many items a new one is compared with because of their words."""
MAX_LIKE_VECTORS = 15
LEAST_COSINE = 0.35
_GROWTH = 2.0
"""Weights are computed again when this many times more items have been counted."""
_FIRST_ROWS = 64


@dataclass(slots=True, eq=False)
class Member:
    """An item of the window."""

    id: ItemId
    at: datetime
    signature: Signature
    print: TextPrint
    address: str
    """Its canonical address; '' if it is not known."""
    story: StoryId
    copy_of: ItemId | None = None
    is_pinned: bool = False
    """Someone put it where it is."""
    outlet: str = ""
    _weighed: Weighed | None = None
    _weighed_at: int = 0

    def freeze(self, weighed: Weighed) -> None:
        """Compare it with these weights from now on."""
        self._weighed, self._weighed_at = weighed, 1 << 60

    def weighed(self, vocabulary: Vocabulary) -> Weighed:
        """The item's weights, not much older than the counts."""
        if self._weighed is None or vocabulary.items > self._weighed_at * _GROWTH + 20:
            self._weighed, self._weighed_at = weigh(self.signature, vocabulary), vocabulary.items
        return self._weighed


@dataclass(slots=True, eq=False)
class Group:
    """A story of the window, with those of its members that are in the window."""

    id: StoryId
    members: list[Member] = field(default_factory=list)
    size: int = 0
    """How many members it has in all."""
    began_at: datetime | None = None
    last_at: datetime | None = None
    apart: set[StoryId] = field(default_factory=set)
    """Stories that someone said are not the same event."""

    def note(self, at: datetime) -> None:
        self.began_at = at if self.began_at is None else min(self.began_at, at)
        self.last_at = at if self.last_at is None else max(self.last_at, at)

    def is_open(self, at: datetime) -> bool:
        """Whether an item of this time is near enough to the story."""
        if self.began_at is None or self.last_at is None:
            return True
        return self.began_at - WINDOW <= at <= self.last_at + WINDOW


class Window:
    """Members, by heavy key, by copy key and by vector; and their stories."""

    def __init__(self) -> None:
        self.members: dict[ItemId, Member] = {}
        self.groups: dict[StoryId, Group] = {}
        self._by_key: defaultdict[str, list[Member]] = defaultdict(list)
        self._by_copy_key: defaultdict[str, list[Member]] = defaultdict(list)
        self._keys: dict[ItemId, Sequence[str]] = {}
        self._copy_keys: dict[ItemId, Sequence[str]] = {}
        self._rows: list[Member] = []
        self._matrix: NDArray[np.float32] | None = None

    def add(self, member: Member, keys: Sequence[str], same: Sequence[str]) -> None:
        """Add a member under its heavy keys, and under those of its text. Copies are found by their text only."""
        self.members[member.id] = member
        group = self.groups.get(member.story)
        if group is None:
            group = self.groups[member.story] = Group(member.story)
        group.members.append(member)
        self._copy_keys[member.id] = same
        for key in same:
            self._by_copy_key[key].append(member)
        if member.copy_of is None:
            self._keys[member.id] = keys
            for key in keys:
                self._by_key[key].append(member)
            if member.signature.full_vector is not None:
                self._add_row(member, member.signature.full_vector)

    def complete(self, members: Sequence[Member]) -> None:
        """Add more members to stories that are here, each where it stands in time. Their words do not lead to them."""
        for member in members:
            self.add(member, (), ())
        for story in {member.story for member in members}:
            self.groups[story].members.sort(key=lambda member: (member.at, member.id))

    def _add_row(self, member: Member, vector: Vector) -> None:
        import numpy as np  # noqa: PLC0415 - only there with the extra that makes vectors

        number = len(self._rows)
        if self._matrix is None:
            self._matrix = np.empty((_FIRST_ROWS, len(vector)), dtype=np.float32)
        elif number == len(self._matrix):
            self._matrix = np.concatenate([self._matrix, np.empty_like(self._matrix)])
        self._matrix[number] = vector
        self._rows.append(member)

    def remove(self, member: Member) -> None:
        """Take a member out, so that it can be placed again."""
        del self.members[member.id]
        group = self.groups[member.story]
        group.members.remove(member)
        group.size -= 1
        for key in self._keys.pop(member.id, ()):
            self._by_key[key].remove(member)
        for key in self._copy_keys.pop(member.id):
            self._by_copy_key[key].remove(member)

    def same_text(self, keys: Iterable[str]) -> Iterator[Member]:
        """Members that share a copy key, the oldest first."""
        seen: set[ItemId] = set()
        for key in keys:
            for member in self._by_copy_key.get(key, ())[:MAX_PER_KEY]:
                if member.id not in seen:
                    seen.add(member.id)
                    yield member

    def candidates(self, keys: Sequence[tuple[str, float]], vector: Vector | None) -> list[Member]:
        """Members that share heavy words or have a like vector, the likeliest first."""
        weights: dict[Member, float] = {}
        for key, weight in keys:
            for member in self._by_key.get(key, ())[-MAX_PER_KEY:]:
                weights[member] = weights.get(member, 0.0) + weight
        ranked = sorted(weights.items(), key=itemgetter(1), reverse=True)[:MAX_CANDIDATES]
        found = [member for member, _ in ranked]
        if vector is not None:
            taken = set(found)
            found += [member for member in self._like(vector) if member not in taken]
        return found

    def _like(self, vector: Vector) -> list[Member]:
        if self._matrix is None:
            return []
        cosines = (self._matrix[: len(self._rows)] @ vector).round(4)
        found = [self._rows[place] for place in most_alike(cosines)]
        return [member for member in found if self.members.get(member.id) is member]


def most_alike(cosines: NDArray[np.float32]) -> list[int]:
    """The places of the largest cosines, the largest first and the earlier of two equal ones."""
    places = (cosines >= LEAST_COSINE).nonzero()[0]
    if len(places) > MAX_LIKE_VECTORS:
        # All that are as large as the last one that is wanted: without sorting thousands.
        least = -_partition(-cosines[places], MAX_LIKE_VECTORS - 1)
        places = places[cosines[places] >= least]
    order = (-cosines[places]).argsort(kind="stable")
    found: list[int] = places[order][:MAX_LIKE_VECTORS].tolist()
    return found


def _partition(values: NDArray[np.float32], place: int) -> float:
    """The value that stands at `place` when the values are sorted."""
    values.partition(place)
    return float(values[place])


def copy_keys(text: TextPrint, address: str) -> list[str]:
    """The keys under which copies are found: the text's, and the address that the page names as its own."""
    return [*text.keys(), *([f"@{address}"] if address else [])]


def is_copy_key(key: str) -> bool:
    """Whether a key is one of a text or an address; words begin with a letter, numbers with `#`."""
    return key[0] in "=~@"


def heavy_keys(weighed: Weighed) -> list[tuple[str, float]]:
    """The keys under which an item is found by others: its heaviest words, names and numbers."""
    words = {key: weight * weighed.word_mass for key, weight in weighed.words.items()}
    return _heaviest(words, weighed.numbers)


def searched_keys(signature: Signature, vocabulary: Vocabulary) -> list[tuple[str, float]]:
    """The keys under which others of an item's kind are found, before it is counted itself."""
    return _heaviest(word_weights(signature, vocabulary), number_weights(signature, vocabulary))


def _heaviest(words: dict[str, float], numbers: Mapping[str, float]) -> list[tuple[str, float]]:
    # A number of one digit leads nowhere.
    weights = words | {key: weight for key, weight in numbers.items() if len(key) > 2}
    return sorted(weights.items(), key=itemgetter(1), reverse=True)[:HEAVY_KEYS]
