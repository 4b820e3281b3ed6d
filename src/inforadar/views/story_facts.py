"""The fact table of a story: names, numbers and quotations as rows, outlets as columns.

Everything is found in the texts by rules, and each cell keeps the sentence that says it. A number is told with what it
counts, so that "7 dead" and "9 dead" are in conflict. Copies say nothing of their own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from inforadar.model.ids import ItemId
from inforadar.stages.group.tokens import fold
from inforadar.views.story_conflicts import Context, can_clash
from inforadar.views.story_names import names_in, same_names
from inforadar.views.story_numbers import numbers_in

MAX_NAMES, MAX_NUMBERS, MAX_QUOTATIONS = 14, 14, 8
MAX_SENTENCES = 80
MAX_SENTENCE_CHARS = 400
MAX_COMPARED = 6
"""How many of an outlet's numbers of one kind are looked at to tell whether they are in conflict."""
MAX_COMMON_NUMBER = 12
"""Up to here, equal numbers in two languages say nothing of what they count."""

_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\d)[^.!?。！？\n]*)*[.!?。！？]*[\"”»]?")
_WORD = re.compile(r"[^\W\d_]{3,}")
_QUOTATION = re.compile(r"[“\"„«]([^“”\"„«»]{20,300})[”\"“»]")
_ROUND = re.compile(r"\d{1,2}")


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
    """Begins with the title."""
    language: str = ""


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
    context: Context | None = None
    """Of a number."""

    @property
    def is_title(self) -> bool:
        return self.telling.text.startswith(self.sentence)


def fact_table(tellings: Sequence[Telling]) -> tuple[Fact, ...]:
    """Make the rows: conflicts first, then what most outlets say."""
    outlets = list(dict.fromkeys(telling.outlet for telling in tellings))
    names: defaultdict[str, list[_Mention]] = defaultdict(list)
    numbers: defaultdict[str, list[_Mention]] = defaultdict(list)
    quotations: defaultdict[str, list[_Mention]] = defaultdict(list)
    for telling in tellings:
        for sentence in sentences_of(telling.text):
            for name in names_in(sentence):
                names[fold(name)].append(_Mention(telling, name, sentence))
            language = telling.language.split("-")[0].casefold()
            for value, counts, clause in numbers_in(sentence, language):
                context = Context(counts, clause, sentence, language)
                numbers[counts].append(_Mention(telling, value, sentence, context))
        for quotation in _QUOTATION.finditer(telling.text):
            words = " ".join(_WORD.findall(fold(quotation[1])))
            quotations[words[:60]].append(_Mention(telling, quotation[1].strip(" ,;"), quotation[0]))
    shared = len(outlets) > 1
    rows = [
        *_best(Kind.NAME, _join_names(names), outlets, MAX_NAMES, at_least=2 if shared else 1),
        *_best(Kind.NUMBER, _align_units(numbers), outlets, MAX_NUMBERS, at_least=1),
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


def _join_names(names: Mapping[str, list[_Mention]]) -> dict[str, list[_Mention]]:
    """Put the mentions of one name together, however it is written."""
    joined: defaultdict[str, list[_Mention]] = defaultdict(list)
    stands_for = same_names(names)
    for key, mentions in names.items():
        joined[stands_for[key]] += mentions
    return joined


def _align_units(numbers: Mapping[str, list[_Mention]]) -> dict[str, list[_Mention]]:
    """Put "40 houses" and "40 домов" into one row: one distinctive value, two languages, different outlets."""
    units_of: defaultdict[str, set[str]] = defaultdict(set)
    for unit, mentions in numbers.items():
        for mention in mentions:
            units_of[mention.value].add(unit)
    first = {unit: min(mention.telling.at for mention in mentions) for unit, mentions in numbers.items()}
    told_in = {
        unit: {
            told
            for mention in mentions
            for told in (("in", mention.telling.language), ("by", mention.telling.outlet))
        }
        for unit, mentions in numbers.items()
    }
    stands_for: dict[str, str] = {}
    for value, units in units_of.items():
        if len(units) == 1 or (_ROUND.fullmatch(value) and int(value) <= MAX_COMMON_NUMBER):
            continue
        one, *others = sorted(units, key=lambda unit: (first[unit], unit))
        for other in others:
            if other not in stands_for and told_in[one].isdisjoint(told_in[other]):
                stands_for[other] = stands_for.get(one, one)
    joined: defaultdict[str, list[_Mention]] = defaultdict(list)
    for unit, mentions in numbers.items():
        joined[stands_for.get(unit, unit)] += mentions
    return joined


def _best(
    kind: Kind,
    mentions: Mapping[str, list[_Mention]],
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
            values[outlet].isdisjoint(values[other]) and _count_the_same(own, others)
            for other, others in by_outlet.items()
        )
        # A sentence of the text says more than the title.
        said = next((m for m in own if m.value == own[0].value and not m.is_title), own[0])
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
    label = key if kind is Kind.NUMBER else _usual(found) if kind is Kind.NAME else first.value
    return Fact(
        kind=kind,
        label=label,
        cells=tuple(cells),
        first_said_by=first.telling.outlet,
        first_said_at=first.telling.at,
    )


def _count_the_same(own: Sequence[_Mention], others: Sequence[_Mention]) -> bool:
    """Whether numbers of two outlets count the same thing."""
    return any(
        one.context is not None and other.context is not None and can_clash(one.context, other.context)
        for one in own[:MAX_COMPARED]
        for other in others[:MAX_COMPARED]
    )


def _usual(found: Sequence[_Mention]) -> str:
    """The way in which most outlets write a name; of two, the longer one."""
    outlets: defaultdict[str, set[str]] = defaultdict(set)
    for mention in found:
        outlets[mention.value].add(mention.telling.outlet)
    return max(outlets, key=lambda value: (len(outlets[value]), len(value), value))
