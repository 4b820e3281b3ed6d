"""Two tellings of one event, word by word: what both say, and what only one of them says. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from inforadar.stages.group.tokens import fold

MAX_WORDS = 600
"""How many words of each text are compared."""

_PART = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|\S+?(?=[\u3040-\u30ff\u3400-\u9fff\s]|\Z)")
_BARE = re.compile(r"\A\W+|\W+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Words that follow each other and are all shared, or all not."""

    text: str
    is_shared: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    one: tuple[Piece, ...]
    other: tuple[Piece, ...]
    shared: float
    """The share of words that both have, from 0 to 1."""


def compare(one: str, other: str) -> Comparison:
    """Compare the beginnings of two texts. Capitals, accents and punctuation make no difference."""
    ours, theirs = _words(one), _words(other)
    matcher = SequenceMatcher(
        None, [word.key for word in ours], [word.key for word in theirs], autojunk=False
    )
    blocks = matcher.get_matching_blocks()
    in_one = {block.a + step for block in blocks for step in range(block.size)}
    in_other = {block.b + step for block in blocks for step in range(block.size)}
    return Comparison(one=_pieces(ours, in_one), other=_pieces(theirs, in_other), shared=matcher.ratio())


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    """As written, with the space before it."""
    key: str


def _words(text: str) -> list[_Word]:
    found: list[_Word] = []
    end = 0
    for match in _PART.finditer(text):
        space = " " if match.start() > end else ""
        found.append(_Word(space + match.group(), fold(_BARE.sub("", match.group())) or match.group()))
        end = match.end()
        if len(found) == MAX_WORDS:
            break
    return found


def _pieces(words: Sequence[_Word], shared: set[int]) -> tuple[Piece, ...]:
    runs: list[tuple[bool, list[str]]] = []
    for place, word in enumerate(words):
        is_shared = place in shared
        if not runs or runs[-1][0] is not is_shared:
            runs.append((is_shared, []))
        runs[-1][1].append(word.text)
    return tuple(Piece(text="".join(texts), is_shared=is_shared) for is_shared, texts in runs)
