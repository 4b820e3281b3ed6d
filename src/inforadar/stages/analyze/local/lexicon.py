"""Word lists by language, and the search for their entries in a text.

The lists are the TOML files `words/<language>.toml`, and `words/<language>-<part>.toml` where one file would be long.
An entry is a word, a phrase, or a stem with a star; the number before a list is the weight of its entries. A language
is loaded when it is first needed, because a process that sees one language should not pay for six.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from inforadar.stages.analyze.local.language import ELISIONS
from inforadar.stages.analyze.local.terms import TermIndex
from inforadar.stages.analyze.local.text import Word

_FOLDER = resources.files("inforadar.stages.analyze.local") / "words"
_OF_ALL_LANGUAGES = "languages.toml"
_FILES = sorted(
    entry.name
    for entry in _FOLDER.iterdir()
    if entry.name.endswith(".toml") and entry.name != _OF_ALL_LANGUAGES
)


def _language_of(file_name: str) -> str:
    return file_name.partition(".")[0].partition("-")[0]


LANGUAGES = tuple(dict.fromkeys(map(_language_of, _FILES)))
"""The languages that have word lists."""


class Kind(StrEnum):
    """What an entry is evidence of; the name of its section in the files."""

    LOADED = "loaded"
    """Words that judge."""
    LABEL = "label"
    """Names for people and groups that judge them."""
    SPIN = "spin"
    """Verbs of saying that judge what is said."""
    BAIT = "bait"
    STIMULUS = "stimulus"
    URGE = "urge"
    """Calls to do or to think something."""
    BOOSTER = "booster"
    """Claims of certainty, absolutes, and talk of us and them."""
    HEDGE = "hedge"
    ATTRIBUTION = "attribution"
    YOU = "you"
    FIRST = "first"
    QUESTION = "question"
    AUXILIARY = "auxiliary"
    """Verbs that make a question when they come first."""
    POINTING = "pointing"
    """Words that point at something the title does not tell."""
    LISTNOUN = "listnoun"
    JUDGING = "judging"
    """Words that judge wherever they stand: shorter and surer lists than `LOADED`."""


class Hit(NamedTuple):
    """An entry found in a text."""

    kind: Kind
    weight: int
    start: int
    end: int


class Judgement(NamedTuple):
    """A judging word that a line can do without."""

    is_adverb: bool
    start: int
    end: int


ROMANCE = frozenset({"es", "fr", "it"})
"""Languages with lists whose adjectives stand before or after their noun."""
_WITH_COMPOUNDS = frozenset({"de", "ru"})
"""Languages that join nouns by a hyphen, the last one saying what it is."""
_JUDGING_SECTIONS = ("judging_adjectives", "judging_adverbs", "judging_words")
_JUDGING_WEIGHT = 2


class Lexicon:
    """The lists of one language."""

    def __init__(self, language: str, files: list[Mapping[str, Any]]) -> None:
        sections: dict[str, dict[str, str]] = {}
        self.language = language
        self.name = language
        self.spaceless = False
        self.elisions = ELISIONS.get(language, frozenset())
        for file in files:
            self.name = file.get("name", self.name)
            self.spaceless = file.get("spaceless", self.spaceless)
            for section, content in file.items():
                if isinstance(content, dict):
                    known = sections.setdefault(section, {})
                    for key, group in content.items():
                        known[key] = f"{known[key]},{group}" if key in known else group

        def terms(section: str) -> list[str]:
            return [term for group in sections.get(section, {}).values() for term in _split(group)]

        self.question_words = frozenset(terms("question"))
        self.keep = frozenset(terms("keep"))
        self.drop = frozenset(terms("drop"))
        self.acronyms = frozenset(terms("acronyms"))
        self.labels = tuple(sorted(terms("labels"), key=len, reverse=True))
        self.tails = tuple(sorted(terms("tail"), key=len, reverse=True))
        self.leads = tuple(sorted(terms("lead"), key=len, reverse=True))
        self.endings = tuple(sorted(terms("ending"), key=len, reverse=True))
        self.neutral_of_amounts = dict(sections.get("neutral_of_amounts", {}))
        self.neutral = sections.get("neutral", {}) | self.neutral_of_amounts
        self.forces = frozenset(terms("forces"))
        self.aims = frozenset(terms("aims"))
        self.amounts = frozenset(terms("amounts"))
        self.vocabulary = frozenset(
            word
            for section in sections.values()
            for group in section.values()
            for word in _single_words(group)
        )
        self._signs: TermIndex[tuple[Kind, int]] = TermIndex(
            spaceless=self.spaceless, elisions=self.elisions, compounds=language in _WITH_COMPOUNDS
        )
        for kind in Kind:
            for weight, group in sections.get(kind.value, {}).items():
                for term in _split(group):
                    self._signs.add(term, (kind, int(weight)))
        self._droppable: TermIndex[bool] = TermIndex(spaceless=self.spaceless, elisions=self.elisions)
        self._add_judgements({section: terms(section) for section in _JUDGING_SECTIONS})
        self._topics: TermIndex[str] = TermIndex(spaceless=self.spaceless, elisions=self.elisions)
        for topic, group in sections.get("category", {}).items():
            for term in _split(group):
                self._topics.add(term, topic)

    def _add_judgements(self, sections: Mapping[str, list[str]]) -> None:
        for section, listed in sections.items():
            for term in listed:
                self._signs.add(term, (Kind.JUDGING, _JUDGING_WEIGHT))
                if section != "judging_words":
                    self._droppable.add(term, section == "judging_adverbs")
        # Articles of these languages, and the place of their adjectives, need the care that judgements get.
        for term in self.drop if self.language in ROMANCE else ():
            self._droppable.add(term, term.endswith(("mente", "ment")))

    def hits(self, text: str, words: list[Word]) -> list[Hit]:
        """Find all entries, each position once per kind: the longest entry wins, then the heaviest."""
        found = [
            Hit(kind, weight, start, end) for (kind, weight), start, end in self._signs.find(text, words)
        ]
        chosen: list[Hit] = []
        covered: dict[Kind, int] = {}
        for hit in sorted(found, key=lambda hit: (hit.start, -hit.end, -hit.weight)):
            if hit.start >= covered.get(hit.kind, 0):
                chosen.append(hit)
                covered[hit.kind] = hit.end
        return chosen

    def judgements(self, text: str, words: list[Word]) -> list[Judgement]:
        """List the judging adjectives and adverbs of a line, in order; of overlapping ones, the longest."""
        found = sorted(
            (Judgement(is_adverb, start, end) for is_adverb, start, end in self._droppable.find(text, words)),
            key=lambda one: (one.start, -one.end, one.is_adverb),
        )
        chosen: list[Judgement] = []
        for one in found:
            if not chosen or one.start >= chosen[-1].end:
                chosen.append(one)
        return chosen

    def category_of(self, text: str, words: list[Word]) -> str:
        """Return the topic with the most entries in the text; one entry alone is not enough."""
        counts = Counter(topic for topic, _, _ in self._topics.find(text, words))
        ((topic, count),) = counts.most_common(1) or [("", 0)]
        return topic if count >= 2 else "general"


def _split(group: str) -> list[str]:
    return [" ".join(term.split()).lower() for term in group.split(",") if term.strip()]


def _single_words(group: str) -> list[str]:
    return [term for term in _split(group) if " " not in term and not term.endswith("*")]


@cache
def lexicon_for(language: str) -> Lexicon:
    """Load the lists of a language; empty if it has none, so that features without words still work."""
    if language not in LANGUAGES:
        return Lexicon(language, [])
    return Lexicon(
        language,
        [
            tomllib.loads((_FOLDER / name).read_text(encoding="utf-8"))
            for name in _FILES
            if _language_of(name) == language
        ],
    )
