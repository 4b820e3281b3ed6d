"""The fact table of a story: names, numbers and quotations as rows, outlets as columns.

Everything is found in the texts by rules, and each cell keeps the sentence that says it. A number is told with what it
counts, so that "7 dead" and "9 dead" are in conflict. Copies say nothing of their own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from inforadar.model.ids import ItemId
from inforadar.stages.group.tokens import fold

MAX_NAMES, MAX_NUMBERS, MAX_QUOTATIONS = 14, 14, 8
MAX_SENTENCES = 80
MAX_SENTENCE_CHARS = 400

_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\d)[^.!?。！？\n]*)*[.!?。！？]*[\"”»]?")
_NAME_RUN = re.compile(r"[^\W\d_][\w'’-]+(?: [^\W\d_][\w'’-]+)*")
_NUMBER = re.compile(r"(?<![\w.,])(\d{1,3}(?:[., ]\d{3})+|\d+(?:[.,]\d+)?)\s*(%|[^\W\d_]{2,})?")
_WORD = re.compile(r"[^\W\d_]{3,}")
_QUOTATION = re.compile(r"[“\"„«]([^“”\"„«»]{20,300})[”\"“»]")
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 1
    )
}
_WRITTEN_NUMBER = re.compile(rf"\b({'|'.join(_NUMBER_WORDS)})\b\s+([^\W\d_]{{2,}})", re.IGNORECASE)
_MONTHS = re.compile(r"(?i)\A(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)")
_DEAD = frozenset({"dead", "died", "killed", "deaths", "killing", "dies", "fatalities"})


class Kind(StrEnum):
    NAME = "name"
    NUMBER = "number"
    QUOTATION = "quotation"


class State(StrEnum):
    SAID = "said"
    NOT_SAID = "not_said"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """The text of one item, as the fact table reads it."""

    item_id: ItemId
    outlet: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What one outlet says of a fact."""

    outlet: str
    state: State
    value: str = ""
    """The number that this outlet gives, or the name as it writes it."""
    sentence: str = ""
    item_id: ItemId | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A row: one name, number or quotation."""

    kind: Kind
    label: str
    cells: tuple[Cell, ...]
    """One for each outlet, in the order of the table."""
    first_said_by: str
    first_said_at: datetime

    @property
    def said_by(self) -> int:
        return sum(cell.state is not State.NOT_SAID for cell in self.cells)

    @property
    def is_conflict(self) -> bool:
        return any(cell.state is State.CONFLICT for cell in self.cells)


@dataclass(frozen=True, slots=True)
class _Mention:
    telling: Telling
    value: str
    sentence: str


def fact_table(tellings: Sequence[Telling]) -> tuple[Fact, ...]:
    """Make the rows: conflicts first, then what most outlets say."""
    outlets = list(dict.fromkeys(telling.outlet for telling in tellings))
    names: defaultdict[str, list[_Mention]] = defaultdict(list)
    numbers: defaultdict[str, list[_Mention]] = defaultdict(list)
    quotations: defaultdict[str, list[_Mention]] = defaultdict(list)
    for telling in tellings:
        for sentence in sentences_of(telling.text):
            for name in _names_in(sentence):
                names[fold(name)].append(_Mention(telling, name, sentence))
            for value, unit in numbers_in(sentence):
                numbers[unit].append(_Mention(telling, value, sentence))
        for quotation in _QUOTATION.finditer(telling.text):
            words = " ".join(_WORD.findall(fold(quotation[1])))
            quotations[words[:60]].append(_Mention(telling, quotation[1].strip(), quotation[0]))
    shared = len(outlets) > 1
    rows = [
        *_best(Kind.NAME, names, outlets, MAX_NAMES, at_least=2 if shared else 1),
        *_best(Kind.NUMBER, numbers, outlets, MAX_NUMBERS, at_least=1),
        *_best(Kind.QUOTATION, quotations, outlets, MAX_QUOTATIONS, at_least=1),
    ]
    return tuple(rows)


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a text, up to `MAX_SENTENCES`."""
    for number, match in enumerate(_SENTENCE.finditer(text)):
        if number >= MAX_SENTENCES:
            return
        if sentence := match.group().strip()[:MAX_SENTENCE_CHARS]:
            yield sentence


def _names_in(sentence: str) -> Iterator[str]:
    """Runs of capitalized words. One word at the beginning of a sentence is no name by itself."""
    for match in _NAME_RUN.finditer(sentence):
        name: list[str] = []
        for place, word in enumerate([*match.group().split(" "), ""]):
            if word[:1].isupper():
                name.append(re.sub(r"['’]s?\Z", "", word))
                continue
            at_start = match.start() == 0 and place == len(name)
            if name and not (at_start and len(name) == 1) and len(name) <= 5:
                yield " ".join(name)
            name = []


def numbers_in(sentence: str) -> Iterator[tuple[str, str]]:
    """The numbers of a sentence with what they count: ("7", "dead")."""
    for match in _NUMBER.finditer(sentence):
        unit = match[2] or ""
        if unit and not _MONTHS.match(unit) and len(match[1]) < 12:
            yield _plain_number(match[1]), _unit(unit, sentence[: match.start()], sentence[match.end() :])
    for match in _WRITTEN_NUMBER.finditer(sentence):
        yield (
            _NUMBER_WORDS[match[1].lower()],
            _unit(match[2], sentence[: match.start()], sentence[match.end() :]),
        )


def _unit(word: str, before: str, after: str) -> str:
    folded = fold(word)
    following = {fold(found) for found in [*_WORD.findall(before[-40:])[-1:], *_WORD.findall(after[:60])[:3]]}
    # "7 people were killed" and "7 dead" count the same.
    return "dead" if folded in _DEAD or _DEAD & following else folded


def _plain_number(written: str) -> str:
    groups = re.split(r"[., ]", written)
    if len(groups) > 1 and all(len(group) == 3 for group in groups[1:]):
        return "".join(groups)
    return written.replace(",", ".")


def _best(
    kind: Kind,
    mentions: dict[str, list[_Mention]],
    outlets: Sequence[str],
    most: int,
    *,
    at_least: int,
) -> list[Fact]:
    facts = [
        _fact(kind, key, found, outlets)
        for key, found in mentions.items()
        if len({mention.telling.outlet for mention in found}) >= at_least
    ]
    facts.sort(key=lambda fact: (not fact.is_conflict, -fact.said_by, fact.first_said_at, fact.label))
    return facts[:most]


def _fact(kind: Kind, key: str, found: Sequence[_Mention], outlets: Sequence[str]) -> Fact:
    by_outlet: defaultdict[str, list[_Mention]] = defaultdict(list)
    for mention in found:
        by_outlet[mention.telling.outlet].append(mention)
    values = {outlet: {mention.value for mention in own} for outlet, own in by_outlet.items()}
    first = min(found, key=lambda mention: mention.telling.at)
    cells = []
    for outlet in outlets:
        own = by_outlet.get(outlet)
        if not own:
            cells.append(Cell(outlet=outlet, state=State.NOT_SAID))
            continue
        clashes = kind is Kind.NUMBER and any(
            values[outlet].isdisjoint(others) for other, others in values.items() if other != outlet
        )
        said = own[0]
        cells.append(
            Cell(
                outlet=outlet,
                state=State.CONFLICT if clashes else State.SAID,
                value=said.value,
                sentence=said.sentence,
                item_id=said.telling.item_id,
                at=said.telling.at,
            )
        )
    label = key if kind is Kind.NUMBER else first.value
    return Fact(
        kind=kind,
        label=label,
        cells=tuple(cells),
        first_said_by=first.telling.outlet,
        first_said_at=first.telling.at,
    )
