"""Detect the language of a text from its script, its commonest words and its letters.

Small on purpose: it has to tell the languages that have word lists from each other and from the rest, on a headline.
A library's models weigh megabytes and guess on headlines; this one says "und" when it does not know, and the analyzer
tells the reader so. The lists are in `words/languages.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from importlib import resources
from typing import Any

from inforadar.stages.analyze.base import UNKNOWN_LANGUAGE

_SAMPLE_CHARS = 800
_WORTH_OF_OWN_LETTERS = 1.2
"""From this worth on, a sign is a letter that the neighbours lack, not just a frequent ending."""
_TAG = re.compile(r"[a-z]{2,3}\Z")
_FIRST_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LATIN_WORD = re.compile(r"[^\W\d_]+")


_SCRIPTS = {
    "latin": "A-Za-zÀ-ɏḀ-ỿ",
    "cyrillic": "Ѐ-ӿ",
    "han": "一-鿿㐀-䶿",
    "kana": "぀-ヿ",
    "hangul": "가-힣",
    "arabic": "؀-ۿ",
    "hebrew": "֐-׿",
    "greek": "Ͱ-Ͽ",
    "devanagari": "ऀ-ॿ",
    "bengali": "ঀ-৿",
    "tamil": "஀-௿",
    "thai": "฀-๿",
    "armenian": "԰-֏",
    "georgian": "Ⴀ-ჿ",
}
_SCRIPT = {name: re.compile(f"[{span}]") for name, span in _SCRIPTS.items()}
_ONE_LANGUAGE = {
    "hangul": "ko", "hebrew": "he", "greek": "el", "devanagari": "hi", "bengali": "bn", "tamil": "ta",
    "thai": "th", "armenian": "hy", "georgian": "ka",
}  # fmt: skip


_LISTS: dict[str, Any] = tomllib.loads(
    (resources.files("inforadar.stages.analyze.local") / "words" / "languages.toml").read_text(
        encoding="utf-8"
    )
)
NAMES: dict[str, str] = _LISTS["names"]
"""English names of languages."""
ABBREVIATIONS = frozenset(" ".join(_LISTS["abbreviations"].values()).split())
"""Abbreviations of all languages, without their full stop."""
BEFORE_PREDICATE = frozenset(" ".join(_LISTS["before_predicate"].values()).split())
"""Words of all languages after which an adjective carries the sentence and cannot be dropped."""
_LEANING = {language: frozenset(words.split()) for language, words in _LISTS["leaning"].items()}
JOINS = frozenset(" ".join(_LISTS["joins"].values()).split())
"""Words of all languages that join adjectives, or an adjective to what it is compared with."""
ARTICLES = frozenset(" ".join(_LISTS["articles"].values()).split())
"""Articles of the Romance languages."""
DEPENDS_ON_SOUND = {
    language: frozenset(words.split()) for language, words in _LISTS["depends_on_sound"].items()
}
"""Words before a noun whose form depends on how the noun begins, by language."""
ELISIONS = {language: frozenset(words.split()) for language, words in _LISTS["elisions"].items()}
"""Small words that lose their vowel and are written together with the next word, by language, without apostrophe."""
LETTERS = "".join(_LISTS["letters"].values())
"""Small letters of all languages, as ranges of a regular expression."""
GROUP_NAMES = frozenset(" ".join(_LISTS["groups"].values()).split())
"""Plain names of peoples, religions, parties and the like, in all languages: to name a group is no judgement."""
_COMMON = {language: frozenset(words.split()) for language, words in _LISTS["common"].items()}
_FUNCTION = {language: frozenset(words.split()) for language, words in _LISTS["function"].items()}
_LANGUAGES_BY_WORD: dict[str, tuple[str, ...]] = {}
for _language, _words in _COMMON.items():
    for _word in _words:
        _LANGUAGES_BY_WORD[_word] = (*_LANGUAGES_BY_WORD.get(_word, ()), _language)
_SIGNS = tuple((re.compile(sign["pattern"]), sign["language"], sign["points"]) for sign in _LISTS["sign"])
"""Letters and endings that one language has and its neighbours lack, with what each is worth."""


def detect(text: str, claimed: str | None = None) -> str:
    """Return a primary language subtag, or "und". The feed's claim is trusted unless script or words contradict it."""
    sample = text[:_SAMPLE_CHARS]
    counts = _script_counts(sample)
    tag = claimed.partition("-")[0].partition("_")[0].lower() if claimed else ""
    if not counts.total():
        return tag if _TAG.match(tag) else UNKNOWN_LANGUAGE
    script = counts.most_common(1)[0][0]
    if counts["kana"] and script == "han":
        script = "kana"
    # A Chinese headline about the NBA has more Latin letters than Chinese characters, but each of these is a word.
    if counts["han"] * 3 > counts["latin"] and script == "latin":
        script = "kana" if counts["kana"] else "han"
    if script == "latin":
        return _latin(sample.lower(), tag)
    found = _by_letters(script, sample.lower())
    return tag if tag in _rivals(script) else found


def _script_counts(sample: str) -> Counter[str]:
    if sample.isascii():
        return Counter(latin=sum(map(str.isalpha, sample)))
    return Counter({name: len(pattern.findall(sample)) for name, pattern in _SCRIPT.items()})


def is_function_word(word: str, language: str) -> bool:
    """Tell whether a word only holds a sentence together."""
    return word in _COMMON.get(language, ()) or word in _FUNCTION.get(language, ())


def leans_on_previous(sentence: str, language: str) -> bool:
    """Tell whether a sentence begins with a word that points back at the one before."""
    words = _LEANING.get(language, frozenset())
    if language == "zh":
        return sentence.startswith(tuple(words))
    first = _FIRST_WORD.match(sentence.lower())
    return first is not None and first.group() in words


def common_words(language: str) -> frozenset[str]:
    """Return the words of a language that say nothing about a text's subject."""
    return _COMMON.get(language, frozenset())


def _rivals(script: str) -> tuple[str, ...]:
    """List the languages of a script between which the feed's claim decides."""
    return {
        "cyrillic": ("ru", "uk", "be", "bg", "sr", "mk", "kk", "ky", "mn", "tg"),
        "arabic": ("ar", "fa", "ur", "ps", "ug", "ckb"),
        "devanagari": ("hi", "mr", "ne"),
        "hebrew": ("he", "yi"),
    }.get(script, ())


def _by_letters(script: str, sample: str) -> str:
    if script == "cyrillic":
        for letters, language in (("ў", "be"), ("їєґ", "uk"), ("ђћљњџ", "sr")):
            if any(letter in sample for letter in letters):
                return language
        if "ы" in sample or "э" in sample or "ё" in sample:
            return "ru"
        return "bg" if sample.count("ъ") * 60 > len(sample) else "ru"
    if script == "arabic":
        return "fa" if any(letter in sample for letter in "پچژگ") else "ar"
    return {"han": "zh", "kana": "ja"}.get(script) or _ONE_LANGUAGE[script]


def _is_clear(points: dict[str, float]) -> bool:
    """Tell whether the common words alone decide on one language, as they do for any longer text."""
    first, second = sorted((*points.values(), 0.0, 0.0), reverse=True)[:2]
    return first > 6 and first > 3 * second


def _own_letters(language: str, sample: str) -> int:
    """Count the letters and endings that only this language has."""
    return sum(
        len(pattern.findall(sample))
        for pattern, of, worth in _SIGNS
        if of == language and worth >= _WORTH_OF_OWN_LETTERS
    )


def _latin(sample: str, tag: str) -> str:
    words = _LATIN_WORD.findall(sample)
    points: dict[str, float] = {}
    common = 0
    for word in words:
        languages = _LANGUAGES_BY_WORD.get(word, ())
        common += bool(languages)
        for language in languages:
            # A word that many languages share is weak evidence for each of them.
            points[language] = points.get(language, 0.0) + 1 / len(languages)
    if not _is_clear(points):
        for pattern, language, worth in _SIGNS:
            points[language] = points.get(language, 0.0) + worth * len(pattern.findall(sample))
        if sample.isascii():
            points["en"] += 0.3
    ranked = sorted(points.items(), key=lambda pair: (-pair[1], pair[0]))
    best, most = ranked[0]
    if tag in _COMMON and points.get(tag, 0.0) >= 0.5 * most:
        return tag
    # A dozen words with hardly a common one are in a language that is not listed, unless its own letters tell it.
    foreign = len(words) >= 12 and common < 0.08 * len(words) and _own_letters(best, sample) < len(words) / 8
    if most < 0.3 or foreign or (len(ranked) > 1 and most == ranked[1][1]):
        return tag if tag in _COMMON or tag in ("et", "lv", "lt", "sk", "sl", "hr") else UNKNOWN_LANGUAGE
    if (
        tag
        and tag not in _COMMON
        and _TAG.match(tag)
        and tag not in ("ru", "zh", "ja", "ko", "ar", "he", "el")
    ):
        return tag
    return best
