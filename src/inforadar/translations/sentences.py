"""Finished English sentences in the reader's language: recognized by patterns with the same placeholders.

    say_again("habr.com answered 403. It denies access.")      by "%(host)s answered 403. It denies access."

What stands in the place of a placeholder is a sentence or a part of one too, for example why an address is not valid.
The text may be hostile (an address, an answer of a site), so a pattern is compared by its fixed parts from left to
right, in linear time, and not by a regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from inforadar.translations.catalogue import load_catalogue
from inforadar.translations.speech import current_language

CONTEXT = "sentence"
MAX_CHARACTERS = 4000
_PLACEHOLDER = re.compile(r"%\((\w+)\)s")
_INSIDE = 2
"""How deep parts of a sentence are said again."""


def say_again(sentence: str) -> str:
    """The sentence in the current language; as it is if that language has no pattern for it."""
    return _said(sentence, current_language().code, _INSIDE)


def _said(sentence: str, code: str, depth: int) -> str:
    if not 0 < len(sentence) <= MAX_CHARACTERS:
        return sentence
    for names, parts, text in _patterns(code):
        values = _values(sentence, parts)
        if values is not None:
            filled = {
                name: _said(value, code, depth - 1) if depth else value
                for name, value in zip(names, values, strict=True)
            }
            return text % filled
    return sentence


def _values(sentence: str, parts: Sequence[str]) -> list[str] | None:
    """The values between the fixed parts; None if the sentence does not match."""
    first, *others = parts
    if not others:
        return [] if sentence == first else None
    last = others.pop()
    end = len(sentence) - len(last)
    if not sentence.startswith(first) or not sentence.endswith(last) or end <= len(first):
        return None
    values, at = [], len(first)
    for part in others:
        found = sentence.find(part, at + 1, end)
        if found < 0:
            return None
        values.append(sentence[at:found])
        at = found + len(part)
    return [*values, sentence[at:end]] if at < end else None


@cache
def _patterns(code: str) -> list[tuple[list[str], list[str], str]]:
    """Each with its placeholders, its fixed parts and its translation; those with most fixed text first."""
    return sorted(_split(code), key=lambda pattern: -sum(map(len, pattern[1])))


def _split(code: str) -> Iterator[tuple[list[str], list[str], str]]:
    catalogue = load_catalogue(code)
    for (context, message), text in (catalogue.messages if catalogue else {}).items():
        if context == CONTEXT:
            pieces = _PLACEHOLDER.split(message)
            yield pieces[1::2], pieces[::2], text
