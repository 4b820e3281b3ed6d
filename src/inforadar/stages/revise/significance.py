"""Significant parts of a difference: numbers, names, quotations and whole sentences, told apart from typos."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from inforadar.model.revision import ChangedPassage, ChangeKind
from inforadar.stages.revise.difference import Edit, ParagraphDiff, ParagraphState
from inforadar.stages.revise.normalize import IS_SPACELESS, Word
from inforadar.stages.revise.phrases import (
    CASELESS_NAMES,
    EASY_TO_CONFUSE,
    NEGATIONS,
    NUMBER_WORDS,
    TITLES_BEFORE_NAMES,
)
from inforadar.stages.revise.typos import is_near

LONG_WORDS = 8
"""From this many words on, a run that came or went is a sentence, not a word."""
SHORT_PARAGRAPH_WORDS = 4
CHARACTERS_PER_WORD = 1.8
"""Of scripts without spaces."""
MAX_TYPO_WORDS = 3
MIN_QUOTED_WORDS = 3
MAX_PASSAGE_CHARS = 600
MAX_PASSAGES = 12

_QUOTED = re.compile(r"[“\"„«「『‹]([^“”\"„«»「」『』\n]{6,600})[”\"“»」』›]")
_SENTENCE_END = re.compile(r"[.!?。！？؟।][\"”»’')\]」』]*(?:\s+|(?<=[。！？」』])|\Z)")
_GERMAN = frozenset({"der", "die", "das", "und", "nicht", "ist", "mit", "den", "dem", "auf"})
_ORDER = (
    ChangeKind.NUMBER,
    ChangeKind.NAME,
    ChangeKind.QUOTATION,
    ChangeKind.NEGATION,
    ChangeKind.REMOVED,
    ChangeKind.ADDED,
    ChangeKind.WORDING,
    ChangeKind.TYPO,
)


@dataclass(slots=True)
class TextSigns:
    """Facts about both texts as a whole: their language and the names in them."""

    is_german: bool
    old_names: Counter[str] = field(default_factory=Counter)
    new_names: Counter[str] = field(default_factory=Counter)
    new_numbers: Counter[float | str] = field(default_factory=Counter)


def find_passages(diffs: Sequence[ParagraphDiff], language: str | None = None) -> list[ChangedPassage]:
    """The changed passages with their kinds, the weightiest first."""
    signs = _read_signs(diffs, language)
    passages = [
        _passage(diff, kinds)
        for diff in diffs
        if diff.state is not ParagraphState.SAME and (kinds := _kinds_of(diff, signs))
    ]
    passages.sort(key=lambda passage: _ORDER.index(passage.kinds[0]))
    return passages[:MAX_PASSAGES]


def words_kinds(diff: ParagraphDiff, language: str | None = None) -> set[ChangeKind]:
    """The kinds of one changed line, such as a title."""
    return _kinds_of(diff, _read_signs([diff], language))


def _read_signs(diffs: Sequence[ParagraphDiff], language: str | None) -> TextSigns:
    is_german = (language or "").lower().startswith("de") or (not language and _looks_german(diffs))
    signs = TextSigns(is_german)
    for diff in diffs:
        signs.old_names.update(names_in(diff.old, is_german=is_german))
        signs.new_names.update(names_in(diff.new, is_german=is_german))
        signs.new_numbers.update(numbers_in(diff.new))
    return signs


def _looks_german(diffs: Sequence[ParagraphDiff]) -> bool:
    words = [word.key.casefold() for diff in diffs for word in diff.new if word.is_word][:400]
    return bool(words) and sum(word in _GERMAN for word in words) > len(words) / 12


def _kinds_of(diff: ParagraphDiff, signs: TextSigns) -> set[ChangeKind]:
    if diff.state is ParagraphState.REMOVED:
        return _kinds_of_removed(diff, signs)
    if diff.state is ParagraphState.ADDED:
        is_long = _units(diff.new) >= SHORT_PARAGRAPH_WORDS or numbers_in(diff.new)
        return {ChangeKind.ADDED if is_long else ChangeKind.WORDING}
    kinds: set[ChangeKind] = set()
    lost_numbers = Counter(numbers_in(diff.old)) - Counter(numbers_in(diff.new))
    gained_numbers = Counter(numbers_in(diff.new)) - Counter(numbers_in(diff.old))
    old_quotes, new_quotes = _quoted_spans(diff.old), _quoted_spans(diff.new)
    for edit in diff.edits:
        if is_typo(edit, diff):
            kinds.add(ChangeKind.TYPO)
            continue
        kinds |= _kinds_of_edit(edit, signs)
        if any(number in lost_numbers for number in numbers_in(edit.old)) or (
            ChangeKind.ADDED not in kinds and any(number in gained_numbers for number in numbers_in(edit.new))
        ):
            kinds.add(ChangeKind.NUMBER)
        if _touches_quotation(edit, diff, old_quotes, new_quotes):
            kinds.add(ChangeKind.QUOTATION)
    if _caseless_names(diff.old_text) != _caseless_names(diff.new_text) and _caseless_names(diff.old_text):
        kinds.add(ChangeKind.NAME)
    if kinds - {ChangeKind.WORDING, ChangeKind.TYPO}:
        kinds.discard(ChangeKind.WORDING)
    return kinds


def _kinds_of_removed(diff: ParagraphDiff, signs: TextSigns) -> set[ChangeKind]:
    numbers = numbers_in(diff.old)
    if _units(diff.old) < SHORT_PARAGRAPH_WORDS and not numbers:
        return {ChangeKind.WORDING}
    kinds = {ChangeKind.REMOVED}
    if any(number not in signs.new_numbers for number in numbers):
        kinds.add(ChangeKind.NUMBER)
    if _quoted_spans(diff.old):
        kinds.add(ChangeKind.QUOTATION)
    return kinds


def _kinds_of_edit(edit: Edit, signs: TextSigns) -> set[ChangeKind]:
    """The kinds of one edit, but for numbers and quotations, which need the whole paragraph."""
    gone, come = _units(edit.old), _units(edit.new)
    kinds: set[ChangeKind] = {ChangeKind.WORDING}
    if gone >= LONG_WORDS and come < gone / 2:
        return kinds | {ChangeKind.REMOVED}
    if come >= LONG_WORDS and gone < come / 2:
        return kinds | {ChangeKind.ADDED}
    old_names = {word.key for word in edit.old if word.is_word and word.key in signs.old_names}
    new_names = {word.key for word in edit.new if word.is_word and word.key in signs.new_names}
    lost, gained = old_names - new_names, new_names - old_names
    if (
        (lost and gained)
        or any(name not in signs.new_names for name in lost)
        or any(name not in signs.old_names for name in gained)
    ):
        kinds.add(ChangeKind.NAME)
    if Counter(_negations(edit.old)) != Counter(_negations(edit.new)):
        kinds.add(ChangeKind.NEGATION)
    return kinds


def _negations(words: Iterable[Word]) -> list[str]:
    return [key for word in words if (key := word.key.casefold()) in NEGATIONS]


def _units(words: Iterable[Word]) -> float:
    """How many words there are; of scripts without spaces about so many."""
    counted = [word for word in words if word.is_word]
    single = sum(len(word.key) == 1 and bool(IS_SPACELESS.match(word.key)) for word in counted)
    return len(counted) - single + single / CHARACTERS_PER_WORD


def numbers_in(words: Iterable[Word]) -> list[float | str]:
    """The numbers among the words, in digits or written out."""
    found: list[float | str] = []
    for word in words:
        if word.key[:1].isdigit():
            try:
                found.append(float(word.key))
            except ValueError:
                found.append(word.key)
        elif word.is_word and (value := NUMBER_WORDS.get(word.key.casefold())) is not None:
            found.append(value)
    return found


def names_in(words: Sequence[Word], *, is_german: bool = False) -> list[str]:
    """Words with a capital that are not the first of a sentence, and acronyms."""
    names = []
    is_first = True
    before = ""
    for word in words:
        if not word.is_word:
            is_first = is_first or word.key in {".", "!", "?", ":", "..."} or (word.key == "-" and not before)
            continue
        key = word.key
        is_acronym = len(key) > 1 and key.isupper() and any(sign.isalpha() for sign in key)
        if is_acronym or (key[:1].isupper() and not is_first and (not is_german or _follows_name(before))):
            names.append(key)
        before, is_first = key, False
    return names


def _follows_name(before: str) -> bool:
    return before[:1].isupper() and (before.casefold() in TITLES_BEFORE_NAMES or before.isalpha())


def _caseless_names(text: str) -> frozenset[str]:
    return frozenset(match[1] for pattern in CASELESS_NAMES for match in pattern.finditer(text))


def _quoted_spans(words: Sequence[Word]) -> list[tuple[int, int]]:
    """Where quotations begin and end; single words in quotation marks are none."""
    text = "".join(word.text for word in words)
    shift = words[0].start if words else 0
    spans = [(match.start(1) + shift, match.end(1) + shift) for match in _QUOTED.finditer(text)]
    return [
        (start, end)
        for start, end in spans
        if _units([word for word in words if start <= word.start < end]) >= MIN_QUOTED_WORDS
    ]


def _is_in(words: Iterable[Word], spans: Sequence[tuple[int, int]]) -> bool:
    return any(word.is_word and start <= word.start < end for word in words for start, end in spans)


def _touches_quotation(
    edit: Edit, diff: ParagraphDiff, old: Sequence[tuple[int, int]], new: Sequence[tuple[int, int]]
) -> bool:
    if edit.old:
        return _is_in(edit.old, old) or _is_in(edit.new, new)
    return _is_in_kept(edit, diff, new)


def _is_in_kept(edit: Edit, diff: ParagraphDiff, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether words were put into a quotation that was there before."""
    kept = {word.start for step in diff.steps if not isinstance(step, Edit) for word in step if word.is_word}
    return any(
        word.is_word and start <= word.start < end and any(start <= place < end for place in kept)
        for word in edit.new
        for start, end in spans
    )


def is_typo(edit: Edit, diff: ParagraphDiff) -> bool:
    """Whether an edit changes no meaning: signs, capitals, hyphens, spelling, a doubled word."""
    old = [word.key for word in edit.old if word.is_word]
    new = [word.key for word in edit.new if word.is_word]
    if numbers_in(edit.old) or numbers_in(edit.new):
        return [word for word in old if word[:1].isdigit()] == [] == [
            word for word in new if word[:1].isdigit()
        ] and (_letters(old) == _letters(new))
    if not old and not new:
        return "%" not in {word.key for word in (*edit.old, *edit.new)}
    if _letters(old) == _letters(new):
        return True
    if not new or not old:
        return len(old or new) == 1 and _is_doubled(edit, diff)
    if len(old) != len(new) or len(old) > MAX_TYPO_WORDS:
        return False
    return all(one == other or _is_spelling(one, other) for one, other in zip(old, new, strict=True))


def _is_spelling(one: str, other: str) -> bool:
    if len(one) == len(other) == 1:
        return any(one in group and other in group for group in EASY_TO_CONFUSE)
    if {one.casefold(), other.casefold()} & NEGATIONS:
        return False
    return is_near(one, other, is_name=one[:1].isupper() and other[:1].isupper())


def _letters(words: Iterable[str]) -> str:
    plain = unicodedata.normalize("NFKD", "".join(words).casefold())
    return "".join(sign for sign in plain if sign.isalnum())


def _is_doubled(edit: Edit, diff: ParagraphDiff) -> bool:
    """Whether the one word that came or went repeats its neighbour."""
    words = diff.old if edit.old else diff.new
    only = next(word for word in (edit.old or edit.new) if word.is_word)
    place = next(number for number, word in enumerate(words) if word.start == only.start)
    near = words[max(place - 1, 0) : place] + words[place + 1 : place + 2]
    return any(word.key.casefold() == only.key.casefold() for word in near)


def _passage(diff: ParagraphDiff, kinds: set[ChangeKind]) -> ChangedPassage:
    """The sentences that the edits touch."""
    ordered = tuple(sorted(kinds, key=_ORDER.index))
    if diff.state is not ParagraphState.CHANGED:
        return ChangedPassage(old=_cut(diff.old_text), new=_cut(diff.new_text), kinds=ordered)
    edits = [edit for edit in diff.edits if not is_typo(edit, diff)] or diff.edits
    return ChangedPassage(
        old=_sentences(diff.old, [edit.old for edit in edits], diff, is_old=True),
        new=_sentences(diff.new, [edit.new for edit in edits], diff, is_old=False),
        kinds=ordered,
    )


def _sentences(
    words: Sequence[Word], touched: Sequence[Sequence[Word]], diff: ParagraphDiff, *, is_old: bool
) -> str:
    has_own = any(touched)
    other = [edit.new if is_old else edit.old for edit in diff.edits]
    if not words or (not has_own and all(_units(part) >= LONG_WORDS for part in other)):
        return ""
    text, shift = "".join(word.text for word in words), words[0].start
    places = [word.start - shift for part in touched for word in part] or _anchors(
        diff, is_old=is_old, shift=shift
    )
    ends = [match.end() for match in _SENTENCE_END.finditer(text)] or [len(text)]
    if ends[-1] < len(text):
        ends.append(len(text))
    starts = [0, *ends[:-1]]
    first, last = min(places, default=0), max(places, default=0)
    begin = max((start for start in starts if start <= first), default=0)
    finish = min((end for end in ends if end > last), default=len(text))
    return _cut(text[begin:finish].strip())


def _anchors(diff: ParagraphDiff, *, is_old: bool, shift: int) -> list[int]:
    """Where in a text the words stood that only the other version has: after the equal words before them."""
    places: list[int] = []
    last = 0
    position = 0
    for step in diff.steps:
        if isinstance(step, Edit):
            own = step.old if is_old else step.new
            if not own:
                places.append(last)
            position += len(own)
            continue
        side = diff.old if is_old else diff.new
        position += len(step)
        last = side[position - 1].start - shift if position else 0
    return places


def _cut(text: str) -> str:
    return text if len(text) <= MAX_PASSAGE_CHARS else text[: MAX_PASSAGE_CHARS - 1].rstrip() + "…"
