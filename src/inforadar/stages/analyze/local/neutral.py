"""A line without its bait, by rules that can only take away or replace by a listed neutral word.

Nothing is written that the original does not say: labels, tails and praise are dropped, loaded verbs become
the plain verb that the word lists give, shouting becomes speech. What is left is the publisher's own
sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from inforadar.stages.analyze.local.lexicon import Kind, Lexicon, lexicon_for
from inforadar.stages.analyze.local.passage import Passage, read_passage
from inforadar.stages.analyze.local.shouting import is_title_case, lower_shouting
from inforadar.stages.analyze.local.text import without_emoji, words_of

FUNCTION_WORDS = frozenset({"a", "an"})
"""The only words that a neutral line may have beside the original's and the lists' neutral ones."""

_LEAST_WORDS = 3
_SILENT_H = ("hour", "honest", "honor", "honour", "heir")
_SPOKEN_Y = ("uni", "use", "usu", "eu", "one", "once")
_ASIDE = re.compile(r"\s*[(（][^()（）]{3,80}[)）]")
_OPEN, _CLOSE = r"[\[(【（「]", r"[\])】）」]"
_POINT = r"[,;:.!?…–—|(\[，。、：；！？-]"
_BEFORE_PREDICATE = frozenset(
    {"is", "are", "was", "were", "be", "been", "being", "am", "isn't", "aren't", "so", "very", "more", "most"}
    | {"too", "as", "looks", "seems", "feels", "and", "or"}
)
"""After these an adjective carries the sentence, and cannot be dropped."""
_BEFORE_NOUN = frozenset(
    {"a", "an", "the", "of", "in", "after", "two", "three", "four", "five", "several"}
    | {"bomb", "twin", "deadly"}
)
_AFTER_NOUN = frozenset(
    {"in", "at", "on", "near", "around", "across", "kill", "kills", "killed"}
    | {"case", "rock", "hit", "leave", ""}
)
_AFTER_PREDICATE = frozenset(
    {"and", "or", "but", "of", "in", "on", "at", "to", "for", "by", "with", "is", "are", "was", "were", "as"}
    | {"than", "that", "who", "which", "from", "after"}
)


@dataclass(frozen=True, slots=True)
class Neutral:
    """A line and what was done to it, in words."""

    text: str
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Patterns:
    label: re.Pattern[str] | None
    bracketed: re.Pattern[str] | None
    tail: re.Pattern[str] | None
    lead: re.Pattern[str] | None
    loaded: re.Pattern[str] | None


def neutralize(line: str, lexicon: Lexicon, context: Passage | None) -> Neutral:
    """`context` is the text around: how a word is written there tells names from shouting."""
    patterns = _patterns(lexicon.language)
    changes: list[str] = []
    text = line
    for step in (
        _without_asides,
        _without_emoji,
        _without_labels,
        _without_tail,
        _without_lead,
        _with_plain_verbs,
        _without_praise,
    ):
        text, done = step(text, lexicon, patterns)
        changes += done
    lowered = lower_shouting(text, lexicon, context)
    changes += ["capitals lowered"] if lowered != text else []
    text = lowered
    text, done = _calm(text)
    changes += done
    if line[:1].isupper() and text.partition(" ")[0].islower():
        text = text[:1].upper() + text[1:]
    if not changes or not words_of(text):
        return Neutral(line, ())
    return Neutral(text, tuple(dict.fromkeys(changes)))


Step = tuple[str, list[str]]


def _without_emoji(text: str, lexicon: Lexicon, patterns: _Patterns) -> Step:
    plain = " ".join(without_emoji(text).split())
    return (plain, ["emoji dropped"]) if plain != " ".join(text.split()) else (text, [])


def _without_labels(text: str, lexicon: Lexicon, patterns: _Patterns) -> Step:
    dropped: list[str] = []
    while patterns.label and (match := patterns.label.match(text)):
        rest = text[match.end() :].lstrip()
        if _size(rest, lexicon) < 2:
            break
        dropped.append(f"“{match.group(1)}” dropped")
        text = rest
    if patterns.bracketed:
        dropped += [f"“{match.group(1)}” dropped" for match in patterns.bracketed.finditer(text)]
        text = patterns.bracketed.sub(" ", text)
    return text, dropped


def _without_asides(text: str, lexicon: Lexicon, patterns: _Patterns) -> Step:
    """Brackets that talk to the reader: "(and number 5 will shock you)"."""

    def lures(aside: str) -> bool:
        hits = read_passage(aside, lexicon).hits
        strong = any(hit.weight == 3 and hit.kind in (Kind.BAIT, Kind.STIMULUS) for hit in hits)
        return strong and any(hit.kind is Kind.YOU for hit in hits)

    found = [match.group() for match in _ASIDE.finditer(text) if lures(match.group())]
    for aside in found:
        text = text.replace(aside, " ")
    return text, [f"“{aside.strip()}” dropped" for aside in found]


def _without_tail(text: str, lexicon: Lexicon, patterns: _Patterns) -> Step:
    match = patterns.tail.search(text) if patterns.tail else None
    if match is None or _size(text[: match.start()], lexicon) < _LEAST_WORDS:
        return text, []
    return text[: match.start()], [f"“{match.group(1)}” dropped"]


def _without_lead(text: str, lexicon: Lexicon, patterns: _Patterns) -> Step:
    match = patterns.lead.match(text) if patterns.lead else None
    rest = text[match.end() :] if match else ""
    if match is None or _size(rest, lexicon) < _LEAST_WORDS:
        return text, []
    first = words_of(rest)[0].lower if words_of(rest) else ""
    if first in lexicon.question_words:
        # "You won't believe what he did" without its head would be no sentence.
        return text, []
    return rest, [f"“{match.group(1)}” dropped"]


def _with_plain_verbs(text: str, lexicon: Lexicon, patterns: _Patterns) -> Step:
    changes: list[str] = []

    def plain(match: re.Match[str]) -> str:
        original = match.group(1)
        # Letters that only look alike ("ſ") match without case, but are no entry.
        word = lexicon.neutral.get(original.lower().replace(",", ""))
        if word is None or _is_noun(text[: match.start()], text[match.end() :]):
            return original
        changes.append(f"“{original}” is loaded")
        return word[:1].upper() + word[1:] if original[:1].isupper() and is_title_case(text) else word

    return (patterns.loaded.sub(plain, text), changes) if patterns.loaded else (text, [])


def _is_noun(before: str, after: str) -> bool:
    """ "Three blasts in Mumbai kill 21": what is counted, or followed by a place or a deed, is no verb."""
    previous = before.rsplit(maxsplit=1)[-1].lower() if before.split() else ""
    following = after.split(maxsplit=1)[0].lower().strip(".,;:!?") if after.split() else ""
    return previous in _BEFORE_NOUN or previous.isdecimal() or not previous or following in _AFTER_NOUN


def _without_praise(text: str, lexicon: Lexicon, patterns: _Patterns) -> Step:
    if lexicon.spaceless:
        found = [term for term in lexicon.drop if term in text and len(text) - len(term) > 5]
        for term in sorted(found, key=len, reverse=True):
            text = text.replace(term, "")
        return text, [f"“{term}” dropped" for term in sorted(found)]
    changes: list[str] = []
    parts: list[str] = []
    end = 0
    words = words_of(text)
    for index, word in enumerate(words):
        before = words[index - 1].lower if index else ""
        after = words[index + 1] if index + 1 < len(words) else None
        gap = text[word.end : after.start] if after else "."
        if word.lower not in lexicon.drop or before in _BEFORE_PREDICATE or gap.strip() or after is None:
            continue
        if after.lower in _AFTER_PREDICATE or text[word.start - 1 : word.start] in ("'", "‘", "“", '"'):
            continue
        parts.append(_with_article(text[end : word.start], before, after.lower))
        end = after.start
        changes.append(f"“{text[word.start : word.end]}” dropped")
    return "".join(parts) + text[end:], changes


def _with_article(head: str, before: str, following: str) -> str:
    """ "an incredible story" is "a story"."""
    if before not in FUNCTION_WORDS:
        return head
    sounds_open = following.startswith(_SILENT_H) or following[:1] in "aeiou"
    article = "an" if sounds_open and not following.startswith(_SPOKEN_Y) else "a"
    kept = head.rstrip()[: -len(before)]
    original = head.rstrip()[-len(before) :]
    return kept + (article.capitalize() if original[:1].isupper() else article) + " "


def _calm(text: str) -> Step:
    calm = re.sub(r"[?？][?!？！]+|[!！]+[?？]+", "?", text)
    calm = re.sub(r"(?:\.{2,}|…)+\s*$", "", calm)
    calm = re.sub(r"[!！]+(?=\s+\S)", ".", calm)
    # A mark inside a name ("Yahoo!7") or a quotation is part of it.
    calm = re.sub(r"!+(?=\s|\Z)|[！¡]+", " ", calm)
    marks = ["marks dropped"] if calm != text else []
    calm = " ".join(calm.split()).strip(" ,;:|–—-·")
    return re.sub(r"\s+([,.;:?])", r"\1", calm), marks


def _size(text: str, lexicon: Lexicon) -> float:
    return len(text) / 2 if lexicon.spaceless else len(words_of(text))


@cache
def _patterns(language: str) -> _Patterns:
    lexicon = lexicon_for(language)
    edge = "" if lexicon.spaceless else r"\b"

    def compiled(terms: tuple[str, ...], form: Callable[[str], str]) -> re.Pattern[str] | None:
        if not terms:
            return None
        alternatives = "|".join(_loosely(term) for term in terms)
        return re.compile(form(f"({alternatives})"), re.IGNORECASE)

    def tail(alternatives: str) -> str:
        return rf"\s*{_POINT}\s*{edge}{alternatives}{edge}[\s.!?…)\]！？。]*\Z"

    separator = r"[:!|–—！：，,]+" if lexicon.spaceless else r"(?:\s*[:!|–—]+|\s+-)"
    neutral = tuple(sorted(lexicon.neutral, key=len, reverse=True))
    return _Patterns(
        label=compiled(lexicon.labels, lambda terms: rf"\s*{_OPEN}?{terms}{_CLOSE}?{separator}[\s!|]*"),
        bracketed=compiled(lexicon.labels, lambda terms: rf"\s*{_OPEN}\s*{terms}\s*{_CLOSE}\s*"),
        tail=compiled(lexicon.tails, tail),
        lead=compiled(lexicon.leads, lambda terms: rf"\s*{terms}{edge}[\s:,!…！，]*"),
        loaded=compiled(neutral, lambda terms: f"{edge}{terms}{edge}"),
    )


def _loosely(term: str) -> str:
    """The term as people type it: either apostrophe, and a comma where the list has none."""
    return ",? ".join(re.escape(word).replace("'", "['’]") for word in term.split())
