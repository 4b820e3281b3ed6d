"""Which words to mark: those that make a passage judge or shout, as annotators would mark them.

Two things must hold. The word is likely to be one that an annotator marks: a model that was fitted on the marked words
of `bench/data/framing` weighs its own vector, the word lists and its capitals. And the word carries the score: the
passage is less loaded without it, by head and lists together. How loaded the passage is counts only up to
`MAX_PASSAGE_LOGIT`; otherwise every word of a very loaded line would be marked. Function words, names of groups and
code never are. The part that comes from the word itself is cached, because news repeats its words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from inforadar.semantic import encoder
from inforadar.stages.analyze.local.language import GROUP_NAMES, is_function_word
from inforadar.stages.analyze.local.lexicon import Kind, Lexicon
from inforadar.stages.analyze.local.passage import EFFECT, Passage, read_passage
from inforadar.stages.analyze.local.terms import elision_in
from inforadar.stages.analyze.local.text import Word, is_title_case

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.float32]

THRESHOLD = -0.3
"""The logit from which a word may be marked: on held-out texts, seven of ten marks are then an annotator's too."""
MAX_WORDS_READ = 60
MIN_PASSAGE_LOGIT, MAX_PASSAGE_LOGIT = -0.7, 1.0
"""The range in which a more loaded passage makes its words likelier."""
_JUDGING = frozenset({Kind.JUDGING, Kind.LOADED, Kind.LABEL, Kind.SPIN, Kind.STIMULUS})
_PUSHING = frozenset({Kind.BOOSTER, Kind.URGE, Kind.BAIT, Kind.HEDGE})
MARKED_KINDS = _JUDGING | _PUSHING
"""Entries of the word lists that can be marked."""
_MAX_CACHED_WORDS = 50_000
_CODE = re.compile(r"`[^`]*`|\S*[=(){}\[\]<>;_\\/@#&$][^\s=(){}\[\]<>;_\\/@#&$]*\S*|[\"'“]\w[\"'”]")

CONTEXT_FEATURES = 5
"""Numbers per candidate beside its vector: two from the lists, two for capitals, one for the passage."""


class Candidate(NamedTuple):
    """A word of a passage that may be marked."""

    lower: str
    start: int
    end: int


def candidates_in(passage: Passage, lexicon: Lexicon) -> list[Candidate]:
    """List the content words of a passage; in scripts without spaces, the entries of the word lists."""
    code = [match.span() for match in _CODE.finditer(passage.text)]

    def is_code(start: int) -> bool:
        return any(begin <= start < end for begin, end in code)

    if lexicon.spaceless:
        hits = [hit for hit in passage.hits if hit.kind in MARKED_KINDS and hit.end - hit.start > 1]
        found = [Candidate(passage.part(hit), hit.start, hit.end) for hit in hits]
    else:
        found = [
            Candidate(*word)
            for word in (_without_elision(word, lexicon) for word in passage.words)
            if is_content_word(word.lower, lexicon) and not _is_name(passage, word, lexicon)
        ]
    return [word for word in found if not is_code(word.start)][:MAX_WORDS_READ]


def _without_elision(word: Word, lexicon: Lexicon) -> Word:
    """Leave the article out of "l'arnaque": only the word itself is marked."""
    elided = elision_in(word.lower, lexicon.elisions)
    return Word(word.lower[elided:], word.start + elided, word.end) if elided else word


def _is_name(passage: Passage, word: Word, lexicon: Lexicon) -> bool:
    """Tell whether a capital within a line of small letters makes a word a name; German nouns all have one."""
    form = passage.text[word.start : word.end]
    if (
        lexicon.language == "de"
        or not form[:1].isupper()
        or form.isupper()
        or word.start == passage.words[0].start
    ):
        return False
    return not any(hit.start == word.start for hit in passage.hits) and not is_title_case(passage.text)


def is_content_word(lower: str, lexicon: Lexicon) -> bool:
    """Tell whether a word can carry a judgement: it is no function word, number, or name of a group."""
    return (
        len(lower) > (1 if lexicon.spaceless else 2)
        and not any(map(str.isdecimal, lower))
        and not is_function_word(lower, lexicon.language)
        and lower not in lexicon.keep
        and lower not in GROUP_NAMES
    )


def context_features(passage: Passage, candidate: Candidate, passage_logit: float) -> list[float]:
    """Return what speaks for marking a candidate beside its own vector."""
    form = passage.text[candidate.start : candidate.end]
    judging = pushing = 0.0
    for hit in passage.hits:
        if hit.start <= candidate.start < hit.end:
            if hit.kind in _JUDGING:
                judging = max(judging, EFFECT[hit.weight])
            elif hit.kind in _PUSHING:
                pushing = max(pushing, EFFECT[hit.weight])
    is_first = bool(passage.words) and candidate.start == passage.words[0].start
    return [
        judging,
        pushing,
        float(form[:1].isupper() and not is_first),
        float(form in passage.loudness.capitals),
        min(max(passage_logit, MIN_PASSAGE_LOGIT), MAX_PASSAGE_LOGIT),
    ]


def without(passage: Passage, candidate: Candidate, lexicon: Lexicon) -> Passage:
    """Read a passage again without one of its words."""
    before, after = passage.text[: candidate.start], passage.text[candidate.end :]
    return read_passage(
        before + after if lexicon.spaceless else " ".join(f"{before} {after}".split()), lexicon
    )


class MarkModel:
    """The fitted weights: one per number of the vector and of the context, and a shift."""

    def __init__(self, vector_weights: Numbers, context_weights: Numbers) -> None:
        self._of_vector = vector_weights
        self._of_context = context_weights
        self._cached: dict[str, float] = {}

    def likely(
        self, passage: Passage, candidates: Sequence[Candidate], passage_logit: float
    ) -> list[Candidate]:
        """Return the words of a passage that an annotator would probably mark, in order."""
        own = self._own_logits([candidate.lower for candidate in candidates])
        chosen = []
        *weights, shift = map(float, self._of_context)
        for candidate, own_logit in zip(candidates, own, strict=True):
            context = context_features(passage, candidate, passage_logit)
            support = sum(value * weight for value, weight in zip(context, weights, strict=True))
            if own_logit + support + shift >= THRESHOLD:
                chosen.append(candidate)
        return chosen

    def _own_logits(self, words: Sequence[str]) -> list[float]:
        missing = list(dict.fromkeys(word for word in words if word not in self._cached))
        if len(self._cached) + len(missing) > _MAX_CACHED_WORDS:
            self._cached.clear()
            missing = list(dict.fromkeys(words))
        if missing:
            found = encoder.vectors(missing) @ self._of_vector
            self._cached.update(zip(missing, found.astype(float).round(4).tolist(), strict=True))
        return [self._cached[word] for word in words]
