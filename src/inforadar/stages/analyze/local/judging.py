"""Drop judging adjectives and adverbs from a line, only where the line stays a sentence and says the same.

Nothing else changes: no word is added or moved, and numbers stay. Where the grammar is in doubt (an adjective that
carries the sentence, that is joined to another one by "and", that stands for a noun, or whose article would have to
change), the word stays, and the line counts as loaded.
"""

from __future__ import annotations

import re

from inforadar.stages.analyze.local.language import (
    ARTICLES,
    BEFORE_PREDICATE,
    DEPENDS_ON_SOUND,
    JOINS,
    is_function_word,
)
from inforadar.stages.analyze.local.lexicon import ROMANCE, Judgement, Kind, Lexicon
from inforadar.stages.analyze.local.passage import Passage
from inforadar.stages.analyze.local.text import Word, is_title_case, words_of

_QUOTED = re.compile(r"[\"“„«「『‘][^\"“”„«»「」『』‘’]*[\"”“»」』’]|(?<!\w)'[^']+'(?!\w)")
_MIN_WORDS_LEFT = 3
_MIN_SPACELESS_CHARS_LEFT = 6
_CLAUSE_MARK = re.compile(r"[，。！？：；,!?:;\s]")
_SENTENCE_STARTS_AFTER = (":", ".", "!", "?", "…", "–", "—", "|")
_BEFORE_DEED = frozenset({"after", "by", "for", "while", "before", "without", "of"})
_SLAVIC_VERB = {
    "ru": re.compile(
        r"(?:ет|ит|ют|ут|ят|ат|ёт|ал|ил|ел|ла|ли|ло|ть|ся|сь)\Z",
    ),
    "pl": re.compile(r"(?:ją|uje|ują|eje|ał|ił|ył|ał[aoy]|ił[aoy]|ali|ili|yli|się|łą|ną)\Z"),
}
"""Endings that are nearly always a verb's: an adjective before it stands for a noun."""
_VOWEL = re.compile(r"[aeiouyàâäéèêëîïôöùûüœæh]")
_IMPURE = re.compile(r"z|x|y|gn|ps|pn|s[^aeiouàèéìòù]")


def has_quotation(text: str) -> bool:
    """Tell whether a line has words in quotation marks."""
    return _QUOTED.search(text) is not None


def unquoted_judgements(passage: Passage, lexicon: Lexicon) -> list[str]:
    """List the judging words of a passage that nobody is quoted with."""
    quoted = [match.span() for match in _QUOTED.finditer(passage.text)]
    return [
        passage.part(hit)
        for hit in passage.of_kind(Kind.JUDGING)
        if not any(start <= hit.start < end for start, end in quoted)
        and (lexicon.language == "de" or not _is_capitalised_name(passage, hit.start))
    ]


def _is_capitalised_name(passage: Passage, start: int) -> bool:
    """Tell whether a capital within a line of small letters makes a word part of a name: "the Crazy Horse"."""
    form = passage.text[start : start + 2]
    is_first = not passage.text[:start].strip("¡¿\"“«„'‘( ") or passage.text[:start].rstrip()[-1:] in (
        _SENTENCE_STARTS_AFTER
    )
    is_name = form[:1].isupper() and form[1:].islower() and not is_first
    return is_name and not is_title_case(passage.text)


def without_judgements(text: str, lexicon: Lexicon) -> tuple[str, list[str]]:
    """Drop what can be dropped; return the line and the changes in words."""
    dropped: list[str] = []
    while True:
        words = words_of(text)
        quoted = [match.span() for match in _QUOTED.finditer(text)]
        found = [
            one
            for one in lexicon.judgements(text, words)
            if not any(start <= one.start < end for start, end in quoted)
            and _can_go(text, words, one, lexicon)
        ]
        if not found:
            return text, dropped
        one = found[0]
        dropped.append(f"“{text[one.start : one.end]}” dropped")
        text = _cut(text, one, lexicon)


def _cut(text: str, one: Judgement, lexicon: Lexicon) -> str:
    before, after = text[: one.start], text[one.end :]
    if lexicon.spaceless:
        return before + after
    after = after.lstrip() if not before or before.endswith((" ", "\u00a0", "'", "’")) else after
    if not after or not after[0].isalnum():
        before = before.rstrip()
    starts_sentence = not before.strip(" \u00a0¡¿") or before.rstrip()[-1:] in _SENTENCE_STARTS_AFTER
    if text[one.start].isupper() and after[:1].islower() and starts_sentence:
        after = after[:1].upper() + after[1:]
    return before + after


def _can_go(text: str, words: list[Word], one: Judgement, lexicon: Lexicon) -> bool:
    if lexicon.spaceless:
        # What is left of the clause must still say something.
        clause = _CLAUSE_MARK.split(text[: one.start])[-1] + _CLAUSE_MARK.split(text[one.end :])[0]
        return len(clause) >= _MIN_SPACELESS_CHARS_LEFT
    left = [word for word in words if word.end <= one.start]
    right = [word for word in words if word.start >= one.end]
    if (
        len(left) + len(right) < _MIN_WORDS_LEFT
        or _is_name(text, one, left, lexicon)
        or _touches_comma(text, one)
    ):
        return False
    previous = left[-1] if left and not text[left[-1].end : one.start].strip() else None
    following = right[0] if right and not text[one.end : right[0].start].strip() else None
    if previous and (previous.lower in BEFORE_PREDICATE or previous.lower in JOINS):
        return False
    if following and following.lower in JOINS:
        return False
    if one.is_adverb:
        return previous is not None or following is not None
    return (following is not None and _is_noun_phrase(text, one, previous, following, lexicon)) or (
        previous is not None
        and lexicon.language in ROMANCE
        and _follows_its_noun(previous, following, lexicon)
    )


def _is_name(text: str, one: Judgement, left: list[Word], lexicon: Lexicon) -> bool:
    """Tell whether a capital within a line makes the word a name, or a noun in German."""
    form = text[one.start : one.end]
    if not form[:1].isupper() or not left or text[: one.start].rstrip()[-1:] in _SENTENCE_STARTS_AFTER:
        return False
    return lexicon.language == "de" or not (form.isupper() or is_title_case(text))


def _touches_comma(text: str, one: Judgement) -> bool:
    return text[: one.start].rstrip()[-1:] in (",", ";") or text[one.end :].lstrip()[:1] in (
        ",",
        ";",
        "-",
        "/",
    )


def _is_noun_phrase(
    text: str, one: Judgement, previous: Word | None, following: Word, lexicon: Lexicon
) -> bool:
    """Tell whether what follows is the noun of the adjective, or the rest of its phrase."""
    language, is_number = lexicon.language, following.lower[0].isdecimal()
    if is_function_word(following.lower, language) and not is_number:
        return False
    if language == "de":
        return is_number or text[following.start].isupper()
    if language in _SLAVIC_VERB:
        return is_number or _SLAVIC_VERB[language].search(following.lower) is None
    if language == "en":
        # "slightly horrifying facts" needs its adjective, and in "fired after shocking children" it is a verb.
        return previous is None or not (
            previous.lower.endswith("ly")
            or (previous.lower in _BEFORE_DEED and text[one.start : one.end].lower().endswith("ing"))
            or (previous.lower in ("a", "an") and _changes_article(text, one, following))
        )
    return _is_romance_phrase(text, one, previous, following, language)


def _changes_article(text: str, one: Judgement, following: Word) -> bool:
    """Tell whether "a" before the adjective would have to become "an" or the reverse, or go."""
    if following.lower[0].isdecimal():
        return True
    return (text[one.start].lower() in "aeiou") != (following.lower[0] in "aeiou") or following.lower[
        0
    ] in "hu"


def _is_romance_phrase(
    text: str, one: Judgement, previous: Word | None, following: Word, language: str
) -> bool:
    if text[one.start - 1 : one.start] in ("'", "’"):
        # "l'odieuse manœuvre" and "d'odieuses attaques" would need another article, "l'odieuse attaque" does not.
        is_article = text[: one.start - 1].lower().endswith("l") and text[one.start].islower()
        return is_article and _sound(text[one.start : one.end], language) == _sound(following.lower, language)
    if previous is None:
        return True
    if not (is_function_word(previous.lower, language) or previous.lower[0].isdecimal()):
        return False
    if previous.lower not in DEPENDS_ON_SOUND.get(language, ()):
        return True
    return not following.lower[0].isdecimal() and _sound(text[one.start : one.end], language) == _sound(
        following.lower, language
    )


def _follows_its_noun(previous: Word, following: Word | None, lexicon: Lexicon) -> bool:
    """Tell whether the word before is a noun, as far as can be told: no verb takes the adjective as its complement."""
    if is_function_word(previous.lower, lexicon.language) or previous.lower[0].isdecimal():
        return False
    if following is None:
        return True
    return is_function_word(following.lower, lexicon.language) and following.lower not in ARTICLES


def _sound(word: str, language: str) -> str:
    """Classify how a word begins, as far as articles depend on it."""
    lower = word.lower()
    if _VOWEL.match(lower):
        return "h" if lower.startswith("h") else "vowel"
    return "impure" if language == "it" and _IMPURE.match(lower) else "consonant"
