"""Finds the language of an article: as stated, unless the script or the commonest words of its text contradict it."""

from __future__ import annotations

import re
from collections import Counter

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

# Words that a text of some length cannot do without, and that few other languages have.
_COMMON_WORDS = {
    "en": "the and of to that is was for with are this have from they which not be on as by",
    "de": "der die das und ist nicht mit den von zu ein eine auf für sich dem auch wird bei im",
    "fr": "le les des et est une dans pour que qui pas sur avec du au plus ce sont aux été",
    "es": "el los las y que una por con para del se su más como pero está han sus fue al",
    "pt": "o os as e que uma não para com por do da em no na mais como são foi ao",
    "it": "il gli di che è un una per con del della non sono nel anche alla più dei le ha",
    "nl": "de het een en van is dat niet op te zijn voor met die aan er ook maar bij naar",
    "pl": "w i na się nie z jest do to że od przez dla po jak oraz ale tym był są",
    "sv": "och att det som en är på av för med den till inte har ett om var från men sig",
    "da": "og at det er en på af til for med den ikke har der et om var fra men blev",
    "no": "og å det er en på av til for med den ikke har som et om var fra men ble",
    "fi": "ja on ei että se oli hän mutta ovat kun myös joka tai niin mukaan sen kuin ole",
    "tr": "ve bir bu için ile da de olarak çok daha olan gibi kadar sonra en ancak ise değil",
    "cs": "a se na je že v s do pro by jako jsou však při také jeho které nebo až podle",
    "ro": "și în de la cu o pe nu este din că mai pentru care sunt au fost un se sau",
    "hu": "a az és hogy nem is egy ez volt meg de csak azt már mint el vagy ha lesz után",
    "id": "yang dan di dengan untuk tidak dari dalam ini itu pada akan ke oleh juga telah bisa",
    "vi": "và của là có không cho được trong người một với các những đã này khi cũng",
}
_LANGUAGES_OF_WORD: dict[str, list[str]] = {}
for _language, _words in _COMMON_WORDS.items():
    for _word in _words.split():
        _LANGUAGES_OF_WORD.setdefault(_word, []).append(_language)
_WORD = re.compile(r"[^\W\d_]+")
MIN_COMMON_SHARE = 0.12
"""A text in a language has at least this share of its commonest words …"""
MIN_LEAD = 1.5
"""… and so much more than of those of any other."""
MIN_DIFFERENT_WORDS = 4
"""A list can repeat one word often."""


def find_language(head: Head, text: str) -> str | None:
    """Return a language code of two or three letters."""
    stated = _stated(head)
    sample = text[:_SAMPLE_CHARACTERS].lower()
    for language, letters, agreeing, share in _SCRIPTS:
        if len(letters.findall(sample)) > share * len(sample):
            return stated if stated in agreeing else language
    return _from_words(sample) or (None if stated in _LANGUAGES_WITH_OWN_SCRIPT else stated)


def _from_words(sample: str) -> str | None:
    """Tell a language in Latin letters by its commonest words, if they are clear."""
    words = _WORD.findall(sample)
    counts = Counter(language for word in words for language in _LANGUAGES_OF_WORD.get(word, ()))
    (best, most), (_, second) = (*counts.most_common(2), ("", 0), ("", 0))[:2]
    if most <= MIN_COMMON_SHARE * len(words) or most <= MIN_LEAD * second:
        return None
    different = {word for word in words if best in _LANGUAGES_OF_WORD.get(word, ())}
    return best if len(different) >= MIN_DIFFERENT_WORDS else None


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
