"""Normalize a text for comparing: its own paragraphs, and their words without the accidents of typesetting."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from inforadar.stages.revise.phrases import (
    CLUTTER,
    LIST_HEADING,
    NOTE,
    RELATIVE_HOURS,
    STAMP_FILLERS,
    STAMP_PARTS,
    TICKER,
    UPDATED,
)

MAX_CHARS = 150_000
"""Longer texts are compared up to here: no article is, but a page can grow without end."""
MAX_LINES = 3000
MAX_STAMP_CHARS = 120
MAX_PLAIN_STAMP_CHARS = 40
"""A longer line that ends like a sentence is one."""
MAX_LINK_WORDS = 22
"""A line of a list of links is no longer than this and does not end like a sentence."""

_INVISIBLE = re.compile(
    "[\u00ad\u200b\u200e\u200f\u2060-\u2064\u2066-\u2069\u202a-\u202e\ufeff\u061c\u180e\x00-\x08]"
)
_MARKS = (
    r"\u200c\u200d\u0300-\u036f\u0591-\u05c7\u0610-\u061a"
    r"\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0962-\u0963"
)
_LETTER = rf"[^\W\d_]|[{_MARKS}]"
_NO_SPACES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
IS_SPACELESS = re.compile(f"[{_NO_SPACES}\U00020000-\U0003ffff]")
"""A character of a script that writes no spaces between words: each counts as a word."""
_TOKEN = re.compile(
    rf"(?P<ago>{RELATIVE_HOURS})"
    r"|(?P<number>\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,:’']\d+)*)"
    rf"|(?P<single>{IS_SPACELESS.pattern})"
    rf"|(?P<word>(?:{_LETTER})(?:(?![{_NO_SPACES}])(?:{_LETTER}|\d))*(?:['’ʼ.\-\u2010\u2011](?:(?![{_NO_SPACES}])(?:{_LETTER}|\d))+)*)"
    r"|(?P<dots>\.{2,}|…)|(?P<dash>-{1,3}|[\u2010-\u2015\u2212])"
    r"|(?P<sign>\S)",
    re.IGNORECASE,
)
_DOUBLE_QUOTES = '"“”„‟«»＂″〝〞「」『』《》'
_SINGLE_QUOTES = "'‘’‚‛‹›′ʼ`´"
_HYPHENS = re.compile("[\u2010\u2011]")
_APOSTROPHES = re.compile("[’ʼ]")
_JOINERS = re.compile("[\u200c\u200d]")
_ENDS_SENTENCE = re.compile(r"[.!?。！？…؟।][\"”»’')\]]*\s*\Z")
_HAS_WORD = re.compile(r"[^\W_]")
_STAMP_WORD = re.compile(rf"\b(?:{UPDATED})", re.IGNORECASE)
_TRAILING_STAMP = re.compile(
    rf"\s*[(\[]?\s*\b(?:last )?(?:{UPDATED})\b[^.!?\n]{{0,60}}\d[^.!?\n]{{0,30}}[)\]]?\s*\Z", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word, number or sign of a text."""

    text: str
    """As written, with the space after it."""
    key: str
    """The form that is compared; two ways to write the same have the same key."""
    start: int
    """Where it begins in its paragraph."""
    is_word: bool
    """A word or number, not a sign."""


def split_paragraphs(text: str) -> list[str]:
    """The paragraphs and list items of an article, without lines that are not part of it."""
    kept: list[str] = []
    in_links = False
    for line in _lines(text[:MAX_CHARS]):
        if in_links and _is_link(line):
            continue
        in_links = bool(LIST_HEADING.match(line)) and not NOTE.search(line)
        if in_links or is_clutter(line):
            continue
        kept.append(line)
    return kept


def _lines(text: str) -> Iterator[str]:
    for line in _INVISIBLE.sub("", text).splitlines()[:MAX_LINES]:
        if stripped := " ".join(line.split()):
            yield stripped


def _is_link(line: str) -> bool:
    return len(line.split()) <= MAX_LINK_WORDS and len(line) <= 160 and not _ENDS_SENTENCE.search(line)


def is_clutter(line: str) -> bool:
    """Whether a line comes and goes without an edit: a date, a counter, a link, an advertisement."""
    if not _HAS_WORD.search(line):
        return True
    if NOTE.search(line) and len(line) > 40:
        return False
    return is_stamp(line) or bool(CLUTTER.match(line)) or bool(len(line) <= 60 and TICKER.fullmatch(line))


def is_stamp(line: str) -> bool:
    """Whether a line only says when something was posted, or how often it was read."""
    if len(line) > MAX_STAMP_CHARS or (len(line) > MAX_PLAIN_STAMP_CHARS and _ENDS_SENTENCE.search(line)):
        return False
    rest = line
    found = 0
    for part in STAMP_PARTS:
        rest, number = part.subn(" ", rest)
        found += number
    return bool(found) and not _HAS_WORD.search(STAMP_FILLERS.sub(" ", rest))


def find_stamps(text: str) -> list[str]:
    """The lines by which a text says when it was updated: "Updated at 14:32"."""
    return [line for line in _lines(text[:MAX_CHARS]) if is_stamp(line) and _STAMP_WORD.search(line)]


def split_words(paragraph: str) -> list[Word]:
    """The words of a paragraph. What is not compared, like "3 hours ago", belongs to the word before it."""
    words: list[Word] = []
    end_of_text = _trimmed_end(paragraph)
    matches = list(_TOKEN.finditer(paragraph))
    for place, match in enumerate(matches):
        end = matches[place + 1].start() if place + 1 < len(matches) else len(paragraph)
        text = paragraph[match.start() : end]
        if match.lastgroup == "ago" or match.start() >= end_of_text:
            if words:
                last = words[-1]
                words[-1] = Word(last.text + text, last.key, last.start, last.is_word)
            continue
        kind = match.lastgroup or "sign"
        words.append(
            Word(text, _key(kind, match.group()), match.start(), kind in {"word", "number", "single"})
        )
    return words


def _trimmed_end(paragraph: str) -> int:
    """Where a paragraph's own text ends: an "(Updated 14:32)" after it is not compared."""
    stamp = _TRAILING_STAMP.search(paragraph, max(0, len(paragraph) - 120))
    if stamp is None or not stamp.start():
        return len(paragraph)
    return stamp.start() if is_stamp(stamp.group().strip(" ()[]")) else len(paragraph)


def _key(kind: str, text: str) -> str:
    if kind == "number":
        return plain_number(text)
    if kind == "sign":
        return _SIGN_KEYS.get(text) or unicodedata.normalize("NFKC", text)
    if fixed := _KIND_KEYS.get(kind):
        return fixed
    folded = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return _JOINERS.sub("", _HYPHENS.sub("-", _APOSTROPHES.sub("'", folded)))


_KIND_KEYS = {"dots": "...", "dash": "-"}
_SIGN_KEYS = {**dict.fromkeys(_DOUBLE_QUOTES, '"'), **dict.fromkeys(_SINGLE_QUOTES, "'")}


def plain_number(written: str) -> str:
    """A number in one form: 1,000 and 1.000 and 1 000 are 1000."""
    plain = unicodedata.normalize("NFKC", written)
    groups = re.split(r"[., ’'\u00a0\u202f]", plain)
    if (
        len(groups) > 1
        and len(groups[0]) <= 3
        and groups[0] != "0"
        and all(len(group) == 3 for group in groups[1:])
    ):
        return "".join(groups)
    if ":" not in plain and plain.count(",") == 1 and "." not in plain:
        plain = plain.replace(",", ".")
    plain = re.sub(r"[\s’']", "", plain)
    if re.fullmatch(r"\d+(?:\.\d+)?", plain):
        return "".join(str(unicodedata.digit(sign)) if sign.isdigit() else sign for sign in plain)
    return plain


def text_key(text: str) -> str:
    """A hash that two versions share if nothing that counts was changed."""
    keys = "\n".join(" ".join(word.key for word in split_words(line)) for line in split_paragraphs(text))
    return hashlib.sha256(keys.encode(errors="replace")).hexdigest()
