"""Finds the language of an article: as stated, unless the script of its text contradicts it."""

from __future__ import annotations

import re

from inforadar.stages.canonical.metadata.head import Head

_TAG = re.compile(r"^([a-z]{2,3})(?:[-_]|$)", re.IGNORECASE)
_SAMPLE_CHARACTERS = 4_000

# Scripts used by one language or few: the language to assume for a page that states none, the letters, the stated
# languages that agree with the script, and the minimum share of the letters.
_SCRIPTS = (
    ("ja", re.compile(r"[\u3041-\u30fa]"), frozenset(("ja",)), 0.05),
    ("ko", re.compile(r"[\uac00-\ud7a3]"), frozenset(("ko",)), 0.2),
    ("zh", re.compile(r"[\u3400-\u9fff]"), frozenset(("zh", "yue", "ja")), 0.2),
    ("uk", re.compile(r"[іїєґ]"), frozenset(("uk", "be", "kk", "ru")), 0.02),
    (
        "ru",
        re.compile(r"[а-яё]"),
        frozenset(("ru", "uk", "be", "bg", "sr", "mk", "kk", "ky", "mn", "tg", "tt")),
        0.3,
    ),
    ("fa", re.compile(r"[پچژگ]"), frozenset(("fa", "ur", "ps", "ku", "ckb", "ar")), 0.02),
    ("ar", re.compile(r"[\u0621-\u064a]"), frozenset(("ar", "fa", "ur", "ps", "ku", "ckb", "ug")), 0.3),
    ("he", re.compile(r"[\u05d0-\u05ea]"), frozenset(("he", "iw", "yi")), 0.3),
    ("el", re.compile(r"[α-ωά-ώ]"), frozenset(("el",)), 0.3),
    ("th", re.compile(r"[\u0e01-\u0e4e]"), frozenset(("th",)), 0.3),
    ("hi", re.compile(r"[\u0900-\u097f]"), frozenset(("hi", "mr", "ne", "sa")), 0.3),
)
_LANGUAGES_WITH_OWN_SCRIPT = frozenset().union(*(languages for _, _, languages, _ in _SCRIPTS)) - {
    "sr",
    "kk",
    "ku",
    "mn",
    "tt",
}


def find_language(head: Head, text: str) -> str | None:
    """Return a language code of two or three letters."""
    stated = _stated(head)
    sample = text[:_SAMPLE_CHARACTERS].lower()
    for language, letters, agreeing, share in _SCRIPTS:
        if len(letters.findall(sample)) > share * len(sample):
            return stated if stated in agreeing else language
    return None if stated in _LANGUAGES_WITH_OWN_SCRIPT else stated


def _stated(head: Head) -> str | None:
    article = head.article.get("inLanguage")
    for value in (
        head.lang,
        article if isinstance(article, str) else "",
        head.first("og:locale", "content-language", "language", "dc.language"),
    ):
        match = _TAG.match(value.strip())
        if match:
            return match[1].lower()
    return None
