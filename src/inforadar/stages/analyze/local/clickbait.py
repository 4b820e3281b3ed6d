"""The probability that a headline is clickbait, by a linear model over its style, not its subject.

There are two groups of features. Signs: which kinds of entries the headline has and where (a list number, a question
word at the start, a word that points at something untold); they mean the same in every language with word lists.
Patterns: runs of up to three words in which only function words and style words keep their form, so that the model
cannot learn the names of people that some publishers favour. Trained by `bench/train_local.py`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

from inforadar.stages.analyze.local.lexicon import Hit, Kind, Lexicon
from inforadar.stages.analyze.local.text import Word

_YEAR = re.compile(r"(?:19|20)\d\d\Z")
_EDGE = "|"
_MASKED_NUMBER = "#"
_MASKED_WORD = "_"

_COUNTED = (Kind.BAIT, Kind.STIMULUS, Kind.LOADED, Kind.HEDGE)
_PRESENT = (Kind.YOU, Kind.FIRST, Kind.ATTRIBUTION, Kind.LISTNOUN, Kind.SPIN)
_POSITIONAL = (Kind.QUESTION, Kind.POINTING)


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature of a headline, and the part of the headline that shows it."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """A probability, and the parts of the headline that suggest clickbait, strongest first."""

    probability: float
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Model:
    bias: float
    weights: dict[str, float]
    usual_length: int | None
    """Longer lines collect more signs without being more clickbait; None if the training data had long lines."""

    def score(self, total: float, length: int) -> float:
        if self.usual_length and length > self.usual_length:
            total /= math.sqrt(length / self.usual_length)
        return self.bias + total


def features_of(title: str, words: list[Word], hits: list[Hit], lexicon: Lexicon) -> list[Feature]:
    """List the features of a headline, each once."""
    found: dict[str, Feature] = {}
    for feature in (*_signs(title, words, hits), *(_patterns(words, hits, lexicon) if lexicon.keep else ())):
        found.setdefault(feature.name, feature)
    return list(found.values())


def judge(title: str, words: list[Word], hits: list[Hit], lexicon: Lexicon) -> Verdict:
    """Rate a headline with the language's own model, or the one on signs alone."""
    models = _models()
    model = models.get(lexicon.language) or models["signs"]
    weighed = [
        (model.weights[feature.name], feature)
        for feature in features_of(title, words, hits, lexicon)
        if feature.name in model.weights
    ]
    score = model.score(sum(weight for weight, _ in weighed), len(words))
    gains: dict[tuple[int, int], float] = {}
    for weight, feature in weighed:
        if feature.end > feature.start:
            place = (feature.start, feature.end)
            gains[place] = gains.get(place, 0.0) + weight
    strong = sorted((gain, place) for place, gain in gains.items() if gain > 0.25)
    return Verdict(_logistic(score), tuple(place for _, place in reversed(strong)))


def _signs(title: str, words: list[Word], hits: list[Hit]) -> Iterator[Feature]:
    counts: dict[str, int] = {}
    first_start = words[0].start if words else 0
    for hit in hits:
        if hit.kind in _COUNTED:
            name = f"{hit.kind}{hit.weight}"
            counts[name] = counts.get(name, 0) + 1
            yield Feature(f"{name}x{min(counts[name], 2)}", hit.start, hit.end)
        elif hit.kind in _PRESENT:
            yield Feature(hit.kind.value, hit.start, hit.end)
        elif hit.kind in _POSITIONAL:
            yield Feature(f"{hit.kind}{'@start' if hit.start == first_start else ''}", hit.start, hit.end)
        elif hit.kind is Kind.AUXILIARY and hit.start == first_start:
            yield Feature(f"{Kind.QUESTION}@start", hit.start, hit.end)
    yield from _number_signs(title, words)
    for mark, name in (("?", "?"), ("？", "?"), ("!", "!"), ("！", "!"), ("…", "..."), ("...", "...")):
        place = title.find(mark)
        if place >= 0:
            yield Feature(name, place, place + len(mark))
    if title.rstrip().endswith(("?", "？")):
        yield Feature("?@end", len(title.rstrip()) - 1, len(title.rstrip()))


def _number_signs(title: str, words: list[Word]) -> Iterator[Feature]:
    for index, word in enumerate(words):
        if not word.lower.isdecimal():
            continue
        # "17 things", but not "17 killed", "1700 runners" or "17%": size and neighbours tell a list apart.
        small = len(word.lower) <= 2 and title[word.end : word.end + 1] not in ("%", ".", ",", ":", "-")
        if index == 0 and small:
            yield Feature("list", word.start, word.end)
        elif not _YEAR.match(word.lower):
            yield Feature("number", word.start, word.end)


def _patterns(words: list[Word], hits: list[Hit], lexicon: Lexicon) -> Iterator[Feature]:
    kinds: dict[int, Kind] = {
        hit.start: hit.kind for hit in hits if hit.weight > 1 and hit.kind in (Kind.LOADED, Kind.STIMULUS)
    }
    masked = [(_EDGE, words[0].start, words[0].start)] if words else []
    masked += [(_mask(word, lexicon, kinds), word.start, word.end) for word in words]
    if words:
        masked.append((_EDGE, words[-1].end, words[-1].end))
    for index in range(len(masked)):
        for length in (1, 2, 3):
            run = masked[index : index + length]
            told = [piece for piece in run if piece[0] not in (_MASKED_WORD, _EDGE)]
            if len(run) == length and told:
                yield Feature(" ".join(part for part, _, _ in run), told[0][1], told[-1][2])


def _mask(word: Word, lexicon: Lexicon, kinds: dict[int, Kind]) -> str:
    if word.lower in lexicon.keep:
        return word.lower
    if word.lower.isdecimal():
        return "#year" if _YEAR.match(word.lower) else _MASKED_NUMBER
    kind = kinds.get(word.start)
    return f"%{kind}" if kind else _MASKED_WORD


def _logistic(score: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


@cache
def _models() -> dict[str, _Model]:
    file = resources.files("inforadar.stages.analyze.local") / "model" / "clickbait.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    return {
        name: _Model(entry["bias"], entry["weights"], entry["usual_length"])
        for name, entry in document["models"].items()
    }
