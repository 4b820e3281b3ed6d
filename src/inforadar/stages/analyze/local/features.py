"""The rule features of a passage: what word lists and marks say, as numbers beside its sentence vector."""

from __future__ import annotations

import math
import re

from inforadar.stages.analyze.local.lexicon import LANGUAGES, Kind, Lexicon
from inforadar.stages.analyze.local.passage import EFFECT, Passage, scare_quotes_of

KINDS = tuple(Kind)
_SENTENCE_WORDS = 12
_MAX_VALUE = 4.0
_QUOTED = re.compile(r"[“\"„«»「『]")
_NUMBER = re.compile(r"\d+")
_LIST_START = re.compile(r"\d{1,2}\s")
_QUESTION_MARKS = ("?", "？", "؟")

COUNT = len(KINDS) + 12
"""Numbers per passage. The first `LISTED_COUNT` depend on word lists and are zero where there are none."""
LISTED_COUNT = len(KINDS) + 1


def rule_features(passage: Passage, lexicon: Lexicon) -> list[float]:
    """Return `COUNT` numbers, most of them between 0 and 1."""
    length = math.sqrt(max(passage.length, _SENTENCE_WORDS) / _SENTENCE_WORDS)
    text, loud = passage.text, passage.loudness
    sums = dict.fromkeys(KINDS, 0.0)
    for hit in passage.hits:
        sums[hit.kind] += EFFECT[hit.weight]
    return [
        *(min(total / length, _MAX_VALUE) for total in sums.values()),
        float(lexicon.language in LANGUAGES),
        min(len(loud.capitals), 5) / 2,
        min(loud.marks, 5) / 2,
        min(len(loud.emoji), 3) / 2,
        float(min(loud.ellipses, 2)),
        float(text.rstrip().endswith(_QUESTION_MARKS)),
        float(any(mark in text for mark in _QUESTION_MARKS)),
        float(min(len(scare_quotes_of(text)), 2)),
        float(_QUOTED.search(text) is not None),
        min(len(_NUMBER.findall(text)), 4) / 2,
        math.log1p(passage.length) / 3,
        float(_LIST_START.match(text) is not None),
    ]
