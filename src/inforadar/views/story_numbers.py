"""Numbers in sentences, with what they count: ("7", "dead"), ("12 million", "crowns"). Pure functions.

What people count most after an event (dead, injured, people, per cent, magnitude) has one name over many languages, so
that "9 погибших" and "7 dead" are in conflict. What is counted is a noun: adjectives before it are passed over ("144
gleaming dishes"). A number that only a verb follows ("14 left the ship") counts what is before it ("a crew of 14"), or
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from inforadar.stages.group.tokens import fold

_NUMBER = re.compile(
    r"(?<![\w.,])(\d{1,3}(?:[., \u00a0\u202f]\d{3})+|\d+(?:[.,]\d+)?)(?![\w.,]*\d)\s*(%|[^\W\d_]{2,})?"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
NUMBER_WORDS = {
    fold(word): str(number)
    # Without "one", which mostly counts nothing: one day, one of them.
    for words in (
        "two three four five six seven eight nine ten eleven twelve",
        "два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
        "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "deux trois quatre cinq six sept huit neuf dix onze douze",
    )
    for number, word in enumerate(words.split(), 2)
}
_WRITTEN = re.compile(r"\b([^\W\d_]{3,})\s+([^\W\d_]{2,})")


def folded_words(text: str) -> frozenset[str]:
    """The words of a text as they are compared."""
    return frozenset(fold(word) for word in text.split())


_DEAD = folded_words(
    "dead died killed kills deaths killing dies fatalities погибших погибли погиб погибла погибшими убиты жертв умерли "
    "tote toten getötet gestorben todesopfer muertos muertas muertes fallecidos murieron morts mortes tués décès morti "
    "vittime zabitych ofiar zginęło"
)
_INJURED = folded_words(
    "injured wounded hurt injuries раненых ранены пострадавших пострадали verletzte verletzten heridos heridas blessés "
    "feriti rannych"
)
_PEOPLE = folded_words(
    "people persons person residents passengers men women children others civilians workers souls человек людей "
    "человека пассажиров menschen personen passagiere personas pasajeros personnes passagers persone osób"
)
_PERCENT = folded_words("% percent процентов процента процент prozent ciento pourcent")
_MAGNITUDE = folded_words("magnitude magnitud magnitudo магнитудой магнитуда магнитуды stärke")
_SCALES = {
    word: name
    for name, words in {
        "hundred": "hundred hundreds сотни сотен hundert cientos",
        "thousand": "thousand тысяч тысячи тыс tausend mil mille",
        "million": "million millions млн миллионов миллиона millionen mio millones milioni mln",
        "billion": "billion billions bn млрд миллиардов миллиарда milliarden mrd milliards miliardi",
    }.items()
    for word in folded_words(words)
}
FUNCTION_WORDS = folded_words(
    "a an the of in on at to for from by with and or as is was were are be been has have had that which who "
    "after before when while than per it its this there и в во на с со по из от до за к о что как не был была "
    "были der die das den dem und oder im am auf bei von zu mit nach vor ist war waren el la los las y o en de "
    "del al con por para se le les et ou du des au aux dans sur est sont i w z na do od"
)
_NOT_COUNTED = folded_words(
    "times раз раза mal veces fois volte razy stück штук sztuk halves thirds quarters fifths tenths hundredths "
    "thousandths"
)
"""Words after a number that leave open what is counted."""
KNOWN_COUNTS = _PEOPLE | _DEAD | _INJURED | _PERCENT
OF_THE_EVENT = frozenset({"dead", "injured", "magnitude"})
"""Counts that belong to the event itself, wherever a text names them."""
_UNITS = folded_words(
    "km m cm mm kg g t l ha kw mw gw kwh mwh gwh mph kph feet fish sheep aircraft staff crew troops police usd eur"
)
"""English words that are no plurals by their form, and yet are counted."""
_NEXT_WORD = re.compile(r"\s+([^\W\d_]{2,}(?:-[^\W\d_]{2,})*)")
_COMPOUND = re.compile(r"(?:-[^\W\d_]{2,})+")
_MADE_OF = re.compile(r"([^\W\d_]{3,})\s+of\s+\Z")
_NO_GROUPS = folded_words(
    "minutes hours days weeks months years seconds "
    "out each end most some all any many part instead ahead short because total minimum maximum"
)
_ENGLISH_ADJECTIVE = re.compile(r"(?:ing|ed|ful|ous|less|ive|ic|al|able|ible|ly)\Z")
_RUSSIAN_ADJECTIVE = re.compile(r"(?:[ыи]х|[ыи]е|[ыи]й|ой|ого|ыми|ими|[лн]о)\Z")
_YEAR = re.compile(r"(?:19|20)\d\d")
MAX_ADJECTIVES = 2
_MONTHS = re.compile(
    r"(?i)\A(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|янв|фев|мар|апр|мая|июн|июл|авг|сен|окт|ноя|дек)"
)
MAX_DIGITS = 12
_CLAUSE_END = re.compile(r"[;:()—–«»“”\"]|[,.](?!\d)")


class Counted(NamedTuple):
    """A number of a sentence."""

    value: str
    counts: str
    """What it counts."""
    clause: str
    """The part of the sentence that it is in."""


def numbers_in(sentence: str, language: str = "") -> Iterator[Counted]:
    """The numbers of a sentence with what they count."""
    for match in _NUMBER.finditer(sentence):
        if len(match[1]) < MAX_DIGITS:
            yield from _counted_in(sentence, match, _plain_number(match[1]), language)
    for match in _WRITTEN.finditer(sentence):
        if number := NUMBER_WORDS.get(fold(match[1])):
            yield from _counted_in(sentence, match, number, language)


def _counted_in(sentence: str, match: re.Match[str], value: str, language: str) -> Iterator[Counted]:
    before, after = sentence[: match.start()], sentence[match.end() :]
    clause = _CLAUSE_END.split(before)[-1] + match[0] + _CLAUSE_END.split(after, maxsplit=1)[0]
    for number, counts in _counted(value, match[2] or "", before, after, language):
        yield Counted(number, counts, clause)


def _counted(value: str, word: str, before: str, after: str, language: str) -> Iterator[tuple[str, str]]:
    unit, previous = fold(word), _last_word(before)
    if _MONTHS.match(word):
        return
    if previous in _MAGNITUDE or unit in _MAGNITUDE:
        yield value, "magnitude"
        return
    if scale := _SCALES.get(unit):
        value = f"{value} {scale}"
        following = _WORD.match(after.lstrip())
        word, unit = (following[0], fold(following[0])) if following else ("", "")
        if not unit or unit in FUNCTION_WORDS:
            yield value, scale
            return
        after = after.lstrip()[len(word) :]
    if unit in _PERCENT or (unit in {"per", "por"} and _first_word(after) in {"cent", "ciento"}):
        yield value, "%"
        return
    # "7 people were killed" and "7 dead" count the same; "40 houses, killing 7" does not count the dead.
    near = {fold(found) for found in _WORD.findall(re.split(r"[,;:.]", after, maxsplit=1)[0])[:3]}
    is_open = not unit or unit in _PEOPLE or unit in FUNCTION_WORDS
    for name, words in _NAMES[:2]:
        if "." not in value and (unit in words or (is_open and (previous in words or words & near))):
            yield value, name
            return
    noun = fold(_noun(value, word, after, language)) if unit and unit not in FUNCTION_WORDS else ""
    if noun in KNOWN_COUNTS:
        yield value, next(name for name, words in _NAMES if noun in words)
    elif noun and noun not in _NOT_COUNTED:
        yield value, noun
    elif not noun and (group := _group_before(value, before)):
        yield value, group


_NAMES = (("dead", _DEAD), ("injured", _INJURED), ("people", _PEOPLE), ("%", _PERCENT))


def _group_before(value: str, before: str) -> str:
    """Find the group whose size a number tells: "a crew of 14"."""
    group = _MADE_OF.search(before)
    if group is None or _YEAR.fullmatch(value):
        return ""
    word = fold(group[1])
    return "" if word in _NO_GROUPS | FUNCTION_WORDS | _NOT_COUNTED else word


def _noun(value: str, word: str, after: str, language: str) -> str:
    """Find the noun that a number counts: the word after it, or the one behind its adjectives; '' if there is none."""
    if compound := _COMPOUND.match(after):
        word, after = word + compound[0], after[compound.end() :]
    if value == "1" or fold(word) in KNOWN_COUNTS:
        return word
    words = [word]
    while len(words) <= MAX_ADJECTIVES and (following := _NEXT_WORD.match(after)):
        if fold(following[1]) in FUNCTION_WORDS:
            break
        words.append(following[1])
        after = after[following.end() :]
    found = next((one for one in words if fold(one) in KNOWN_COUNTS or _is_noun(one, language)), None)
    if found is not None:
        return found
    return "" if language in {"en", "de"} else word


def _is_noun(word: str, language: str) -> bool:
    """Whether a word can be what is counted, by its form."""
    folded = fold(word)
    match language:
        case "en":
            # More than one of something is a plural.
            return folded in _UNITS or (folded.endswith("s") and not folded.endswith(("ss", "ous")))
        case "de":
            return word[0].isupper() or folded in _UNITS
        case "ru" | "uk":
            return not _RUSSIAN_ADJECTIVE.search(word.casefold())
        case "":
            return not _ENGLISH_ADJECTIVE.search(folded)
        case _:
            return True


def _last_word(text: str) -> str:
    found = _WORD.findall(re.split(r"[,;:.]", text[-40:])[-1])
    return fold(found[-1]) if found else ""


def _first_word(text: str) -> str:
    found = _WORD.search(text[:30])
    return fold(found[0]) if found else ""


def _plain_number(written: str) -> str:
    groups = re.split(r"[., \u00a0\u202f]", written)
    if len(groups) > 1 and all(len(group) == 3 for group in groups[1:]):
        return "".join(groups)
    return written.replace(",", ".")
