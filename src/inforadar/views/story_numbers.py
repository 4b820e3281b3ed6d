"""Numbers in sentences, with what they count: ("7", "dead"), ("12 million", "crowns"). Pure functions.

What people count most after an event (dead, injured, people, per cent, magnitude) has one name over many languages, so
that "9 погибших" and "7 dead" are in conflict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inforadar.stages.group.tokens import fold

_NUMBER = re.compile(
    r"(?<![\w.,])(\d{1,3}(?:[., \u00a0\u202f]\d{3})+|\d+(?:[.,]\d+)?)(?![\w.,]*\d)\s*(%|[^\W\d_]{2,})?"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBER_WORDS = {
    fold(word): str(number)
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "un deux trois quatre cinq six sept huit neuf dix onze douze",
    )
    for number, word in enumerate(words.split(), 1)
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
    "people persons person residents passengers men women children others civilians workers человек людей человека "
    "пассажиров menschen personen passagiere personas pasajeros personnes passagers persone osób"
)
_PERCENT = folded_words("% percent процентов процента процент prozent ciento pourcent")
_MAGNITUDE = folded_words("magnitude magnitud magnitudo магнитудой магнитуда магнитуды stärke")
_SCALES = {
    word: name
    for name, words in {
        "thousand": "thousand тысяч тысячи тыс tausend mil mille",
        "million": "million millions млн миллионов миллиона millionen mio millones milioni mln",
        "billion": "billion billions bn млрд миллиардов миллиарда milliarden mrd milliards miliardi",
    }.items()
    for word in folded_words(words)
}
_FUNCTION = folded_words(
    "a an the of in on at to for from by with and or as is was were are be been has have had that which who "
    "after before when while than per it its this there и в во на с со по из от до за к о что как не был была "
    "были der die das den dem und oder im am auf bei von zu mit nach vor ist war waren el la los las y o en de "
    "del al con por para se le les et ou du des au aux dans sur est sont i w z na do od"
)
_MONTHS = re.compile(
    r"(?i)\A(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|янв|фев|мар|апр|мая|июн|июл|авг|сен|окт|ноя|дек)"
)
MAX_DIGITS = 12


def numbers_in(sentence: str) -> Iterator[tuple[str, str]]:
    """The numbers of a sentence with what they count."""
    for match in _NUMBER.finditer(sentence):
        if len(match[1]) < MAX_DIGITS:
            yield from _counted(
                _plain_number(match[1]), match[2] or "", sentence[: match.start()], sentence[match.end() :]
            )
    for match in _WRITTEN.finditer(sentence):
        if number := _NUMBER_WORDS.get(fold(match[1])):
            yield from _counted(number, match[2], sentence[: match.start()], sentence[match.end() :])


def _counted(value: str, word: str, before: str, after: str) -> Iterator[tuple[str, str]]:
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
        if not unit or unit in _FUNCTION:
            yield value, scale
            return
        after = after.lstrip()[len(word) :]
    if unit in _PERCENT or (unit in {"per", "por"} and _first_word(after) in {"cent", "ciento"}):
        yield value, "%"
        return
    # "7 people were killed" and "7 dead" count the same; "40 houses, killing 7" does not count the dead.
    near = {fold(found) for found in _WORD.findall(re.split(r"[,;:.]", after, maxsplit=1)[0])[:3]}
    is_open = not unit or unit in _PEOPLE or unit in _FUNCTION
    for name, words in (("dead", _DEAD), ("injured", _INJURED)):
        if "." not in value and (unit in words or (is_open and (previous in words or words & near))):
            yield value, name
            return
    if unit in _PEOPLE:
        yield value, "people"
    elif unit and unit not in _FUNCTION:
        yield value, unit


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
