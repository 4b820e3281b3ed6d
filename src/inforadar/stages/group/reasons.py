"""Why an item joined a story, in words that can be shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import msgspec

from inforadar.model.ids import ItemId
from inforadar.stages.group.pair_score import PairScore
from inforadar.stages.group.tokens import STEM_CHARS
from inforadar.stages.group.vocabulary import Vocabulary

if TYPE_CHECKING:
    from inforadar.stages.group.window import Member

MAX_NAMED = 6
MAX_SMALL_WORD_CHARS = 3


class Reasons(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Names, numbers and words that an item shares with the nearest member of its story."""

    nearest: ItemId
    score: float | None = None
    """None for a copy, and for what a person did."""
    copy: str = ""
    """`text` or `address`, if it is a copy."""
    names: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    meaning: float | None = None
    """The cosine of the sentence vectors."""


def explain(member: Member, nearest: Member, score: PairScore | None, vocabulary: Vocabulary) -> Reasons:
    """Say what an item shares with its nearest member, the most telling first."""
    if score is None:
        same_address = member.address != "" and member.address == nearest.address
        return Reasons(nearest=nearest.id, copy="address" if same_address else "text")
    one, other = member.weighed(vocabulary), nearest.weighed(vocabulary)
    names = _heaviest(one.names, other.names)
    stems = {name[:STEM_CHARS] for name in names}
    words = [key for key in _heaviest(one.words, other.words) if key not in stems and _is_telling(key)]
    written = member.signature.capitals
    return Reasons(
        nearest=nearest.id,
        score=score.value,
        names=tuple(written.get(name, name) for name in names[:MAX_NAMED]),
        numbers=tuple(key[1:] for key in _heaviest(one.numbers, other.numbers)[:MAX_NAMED]),
        words=tuple(words[:MAX_NAMED]),
        meaning=None if score.likeness.full_vector is None else round(score.likeness.full_vector, 2),
    )


def _is_telling(word: str) -> bool:
    """Short words tell a person nothing; in scripts without capitals, short words are usual ones."""
    return len(word) > MAX_SMALL_WORD_CHARS or not word.islower()


def _heaviest(one: Mapping[str, float], other: Mapping[str, float]) -> list[str]:
    shared: Iterable[tuple[float, str]] = ((one[key] * other[key], key) for key in one if key in other)
    return [key for _, key in sorted(shared, key=lambda pair: (-pair[0], pair[1]))]
