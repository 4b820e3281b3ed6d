"""Whether two numbers of one row count the same thing, so that a difference is a conflict. Pure functions.

"218 passengers" and "180 passengers" differ without a conflict if one of them is how many a ship holds, or how many
there were last year. The dead, the injured and a magnitude belong to the event itself; all other numbers must stand
beside the same words: one in their part of the sentence, or two in the sentence. Over languages names and other numbers
stand for words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from inforadar.stages.group.tokens import STEM_CHARS, fold, split_tokens
from inforadar.views.story_names import names_in, same_names
from inforadar.views.story_numbers import (
    FUNCTION_WORDS,
    KNOWN_COUNTS,
    NUMBER_WORDS,
    OF_THE_EVENT,
    folded_words,
)

MIN_WORD_CHARS = 4
MIN_NUMBER_CHARS = 3
"""A shorter number stands beside everything."""
NEEDED_IN_SENTENCE = 2

_SAYS_NOTHING = (
    folded_words(
        "about around more than over less nearly almost some said says told according officials reported would could "
        "also into were been people which that this those their they them only just still after before during other "
        "около более менее почти сказал сказала сообщил сообщила сообщили также были было быть который которая которые "
        "etwa rund mehr weniger fast sagte laut auch wurde wurden werden haben hatte nach über einer eine einen "
        "unos unas casi más menos según dijo también fueron están sobre entre cerca environ plus moins presque selon "
        "aussi étaient avoir dans circa quasi secondo anche sono stati około ponad prawie także zostało było"
    )
    | FUNCTION_WORDS
    | KNOWN_COUNTS
    | NUMBER_WORDS.keys()
)
_CAPACITY = re.compile(
    r"\b(?:holds?|seats?|seating|capacity|accommodat\w+|(?:room|space|built|designed|licensed) for|"
    r"can (?:carry|take|hold|seat)|"
    r"вмеща\w+|вместимост\w+|рассчитан\w* на|"
    r"fasst|fassen|kapazität|platz für|ausgelegt für|"
    r"capacidad|caben|aforo|con cabida|capacité|peut accueillir|peuvent accueillir|"
    r"capienza|può ospitare|può contenere|pojemno\w+|mieści|pomieści\w*)\b"
)
_EARLIER = re.compile(
    r"\b(?:last (?:year|month|week|season)|(?:years?|months?|weeks?) (?:ago|earlier|before)|previous(?:ly)?|"
    r"в прошлом (?:году|месяце)|на прошлой неделе|(?:год|года|лет|месяц\w*|недел\w*) назад|ранее|"
    r"(?:letzte|vorige|vergangene)[smnr]? (?:jahr|monat|woche)\w*|vorjahr\w*|vor (?:\w+ )?(?:jahr|monat|woche)\w*|"
    r"(?:el|la) (?:año|mes|semana) pasad[oa]|hace (?:\w+ )?(?:año|mes|semana)\w*|"
    r"l['’]an(?:née)? (?:dernier|dernière|passé|passée)|il y a (?:\w+ )?(?:an|mois|semaine)s?|"
    r"l['’]anno scorso|(?:\w+ )?anni fa|w (?:zeszłym|ubiegłym) roku|(?:rok|lat|lata) temu)\b"
)


@dataclass(frozen=True)
class Context:
    """Where a number stands."""

    counts: str
    clause: str
    """The part of the sentence that it is in."""
    sentence: str
    language: str

    @cached_property
    def role(self) -> tuple[bool, bool]:
        """Whether it is a capacity, and whether it is of an earlier time."""
        clause = self.clause.casefold()
        return _CAPACITY.search(clause) is not None, _EARLIER.search(clause) is not None

    @cached_property
    def near(self) -> frozenset[str]:
        return _words(self.clause) - {self.counts[:STEM_CHARS]}

    @cached_property
    def words(self) -> frozenset[str]:
        return _words(self.sentence) - {self.counts[:STEM_CHARS]}

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(fold(name) for name in names_in(self.sentence))

    @cached_property
    def numbers(self) -> frozenset[str]:
        return frozenset(
            token.key
            for token in split_tokens(self.sentence)
            if token.is_number and len(token.key) > MIN_NUMBER_CHARS
        )


def can_clash(one: Context, other: Context) -> bool:
    """Whether both numbers count the same thing, as far as their sentences tell."""
    if one.role != other.role:
        return False
    if one.counts in OF_THE_EVENT:
        return True
    if one.language == other.language:
        return bool(one.near & other.near) or len(one.words & other.words) >= NEEDED_IN_SENTENCE
    return bool(one.numbers & other.numbers) or _share_names(one.names, other.names)


def _share_names(one: frozenset[str], other: frozenset[str]) -> bool:
    stands_for = same_names({*one, *other})
    return not {stands_for[name] for name in one}.isdisjoint({stands_for[name] for name in other})


def _words(text: str) -> frozenset[str]:
    """The words that say what a text is about; in scripts without spaces, pairs of signs."""
    return frozenset(
        token.key
        for token in split_tokens(text)
        if not token.is_number
        and token.folded not in _SAYS_NOTHING
        and (len(token.folded) >= MIN_WORD_CHARS or not token.folded.isalpha() or _is_pair(token.folded))
    )


def _is_pair(word: str) -> bool:
    return len(word) == 2 and ord(word[0]) >= 0x3040
