"""The signature by which an item is grouped: words, capitalized words, numbers, and vectors if there is an encoder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inforadar.stages.group.tokens import Token, days_of, script_of, split_tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
else:
    Vector = Any

LEAD_WORDS = 200
"""How much of an article's beginning is compared."""
TITLE_WEIGHT = 3
MAX_TITLE_CHARS = 300
MAX_LEAD_CHARS = 2000
VECTOR_LEAD_CHARS = 350
"""How much of the beginning is encoded: the cost grows with the length, what it says hardly does."""
MIN_TEXT_WORDS = 12
"""A text with fewer words says no more than a title."""
TITLE_CASE = 0.6
"""If this share of a title's words is capitalized, capitals mark no names in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """An item as grouping sees it. It can be stored as JSON and compared with any other."""

    title: Mapping[str, int]
    """Words of the title, counted by key."""
    words: Mapping[str, int]
    """Words of title and lead; those of the title count `TITLE_WEIGHT` times."""
    capitals: Mapping[str, str]
    """Capitalized words: folded → as written."""
    numbers: frozenset[str]
    days: frozenset[str]
    """Days of the year that the text names."""
    has_text: bool
    script: str
    language: str
    title_vector: Vector | None = field(default=None, compare=False)
    full_vector: Vector | None = field(default=None, compare=False)
    """Vector of title and lead; the title's if there is no text."""


@dataclass(frozen=True, slots=True)
class Casing:
    """How the words of one text are written where their case says something: the evidence for the case table."""

    capital: Mapping[str, int]
    small: Mapping[str, int]


def make_signature(title: str, text: str, language: str | None = None) -> tuple[Signature, Casing]:
    """Read an item's title and lead, as long as they say anything; return what they say about the case of words."""
    title_tokens = split_tokens(title[:MAX_TITLE_CHARS])
    lead_tokens = lead_of(text, title)
    has_text = len(lead_tokens) >= MIN_TEXT_WORDS
    words: Counter[str] = Counter()
    title_words = Counter(token.key for token in title_tokens if not token.is_number)
    for key, count in title_words.items():
        words[key] = count * TITLE_WEIGHT
    words.update(token.key for token in lead_tokens if not token.is_number)
    tokens = [*title_tokens, *lead_tokens]
    capitals: dict[str, str] = {}
    for token in tokens:
        if token.is_capital:
            capitals.setdefault(token.folded, token.text)
    signature = Signature(
        title=title_words,
        words=words,
        capitals=capitals,
        numbers=frozenset(token.key for token in tokens if token.is_number),
        days=days_of(tokens, f"{title[:MAX_TITLE_CHARS]} {text[:MAX_LEAD_CHARS]}"),
        has_text=has_text,
        script=script_of(f"{title[:MAX_TITLE_CHARS]} {text[:200]}"),
        language=(language or "").split("-")[0].casefold(),
    )
    return signature, _casing(title_tokens, lead_tokens)


def vector_texts(title: str, text: str) -> tuple[str, str]:
    """The two texts of an item that are encoded: its title, and its title with the beginning of the text."""
    plain = " ".join(title[:MAX_TITLE_CHARS].split())
    lead = " ".join(text[:MAX_LEAD_CHARS].split())[:VECTOR_LEAD_CHARS]
    return plain, f"{plain}. {lead}" if lead else plain


def lead_of(text: str, title: str) -> list[Token]:
    """The tokens of a text's beginning, without the title if it repeats that."""
    lead = text[:MAX_LEAD_CHARS].lstrip()
    if title and lead.startswith(title):
        lead = lead[len(title) :]
    return split_tokens(lead, LEAD_WORDS)


def _casing(title: list[Token], lead: list[Token]) -> Casing:
    evidence = [token for token in lead if not token.starts_sentence and not token.is_number]
    written = [token for token in title if not token.is_number and not token.starts_sentence]
    if written and sum(token.is_capital for token in written) < TITLE_CASE * len(written):
        evidence += written
    return Casing(
        Counter([token.folded for token in evidence if token.is_capital]),
        Counter([token.folded for token in evidence if not token.is_capital]),
    )
