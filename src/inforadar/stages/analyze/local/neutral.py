"""Make a line neutral by rules that can only drop words or replace them with a listed neutral word.

Nothing is added that the original does not say: labels, tails and praise are dropped, loaded verbs become the plain
verb from the word lists, and capitals become normal case. What remains is the publisher's own sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from inforadar.stages.analyze.local.judging import without_judgements
from inforadar.stages.analyze.local.language import ARTICLES, BEFORE_PREDICATE
from inforadar.stages.analyze.local.lexicon import ROMANCE, Kind, Lexicon, lexicon_for
from inforadar.stages.analyze.local.passage import Passage, read_passage
from inforadar.stages.analyze.local.shouting import lower_shouting
from inforadar.stages.analyze.local.text import Word, is_title_case, without_emoji, words_of

FUNCTION_WORDS = frozenset({"a", "an"})
"""The only words a neutral line may have besides those of the original and the lists' neutral ones."""

_MIN_WORDS_LEFT = 3
_SILENT_H = ("hour", "honest", "honor", "honour", "heir")
_SPOKEN_Y = ("uni", "use", "usu", "eu", "one", "once")
_QUOTES = ("'", "‘", "“", '"', "«", "„")
_ASIDE = re.compile(r"\s*[(（][^()（）]{3,80}[)）]")
_OPEN, _CLOSE = r"[\[(【（「]", r"[\])】）」]"
_POINT = r"[,;:.!?…–—|(\[，。、：；！？-]"
_GRADES = frozenset({"more", "most"})
_EVER = re.compile(
    r"\s+ever(?:\s+(?:built|made|seen|found|recorded|released|created|sold|filmed|written))?\b", re.IGNORECASE
)
"""The end of "the most incredible … ever", which is dropped with its start."""
_BEFORE_NOUN = frozenset(
    {"a", "an", "the", "of", "in", "after", "two", "three", "four", "five", "several"}
    | {"bomb", "twin", "deadly", "grand", "poetry", "body"}
)
_AFTER_NOUN = frozenset(
    {"in", "at", "on", "near", "around", "across", "kill", "kills", "killed"}
    | {"case", "rock", "hit", "leave", "", "off", "into", "through", "open", "shut", "door", "doors"}
    | {"dunk", "dunks", "poet", "poets", "poetry", "title", "titles", "winner", "winners"}
)
"""Before these words the verb attacks nobody: rockets blast off, cars slam into walls."""
_CLAUSE_END = re.compile(r"[.,;:!?…–—|]\s")
_RELATIVE = frozenset({"qui", "que", "che"})
"""After these words, the verb is of a clause within the sentence, and its subject may be something else."""
_BEFORE_DEED = frozenset({"after", "by", "for", "while", "before", "without", "of"})
"""After these words, "shocking" and the like are verbs: "fired after shocking children"."""
_GERMAN_ENDINGS = ("e", "en", "er", "es", "em")
_PREPOSITIONS = frozenset({"of", "in", "on", "at", "to", "for", "by", "with", "from", "after"})
_AFTER_PREDICATE = _PREPOSITIONS | frozenset(
    {"and", "or", "but", "is", "are", "was", "were", "as", "than", "that", "who", "which"}
)


@dataclass(frozen=True, slots=True)
class Neutral:
    """A line, and the changes made to it, in words."""

    text: str
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Patterns:
    label: re.Pattern[str] | None
    bracketed: re.Pattern[str] | None
    tail: re.Pattern[str] | None
    ending: re.Pattern[str] | None
    lead: re.Pattern[str] | None
    marked_lead: re.Pattern[str] | None
    """Openers that are nouns too ("shock"): only a mark after them makes them an opener."""
    loaded: re.Pattern[str] | None


def neutralize(line: str, lexicon: Lexicon, context: Passage | None) -> Neutral:
    """Make a line neutral. How words are written in `context`, the article's text, tells names from shouting."""
    patterns = _patterns(lexicon.language)
    changes: list[str] = []
    text = line
    for step in (
        _without_asides,
        _without_emoji,
        _without_labels,
        _without_tail,
        _without_ending,
        _without_lead,
        _with_plain_verbs,
        _without_judgements if lexicon.language in ROMANCE else _without_praise,
        _without_judgements,
        # A second time: "Incredible moment dog saves man" starts with its opener only now.
        _without_lead,
    ):
        text, done = step(text, lexicon, patterns)
        changes += done
    lowered = lower_shouting(text, lexicon, context)
    changes += ["capitals lowered"] if lowered != text else []
    text = lowered
    text, done = _calm(text, lexicon)
    changes += done
    if line.lstrip("¡¿\"“«„'‘(")[:1].isupper() and text.partition(" ")[0].islower():
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
    """Drop brackets that address the reader: "(and number 5 will shock you)"."""

    def is_bait(aside: str) -> bool:
        hits = read_passage(aside, lexicon).hits
        strong = any(hit.weight == 3 and hit.kind in (Kind.BAIT, Kind.STIMULUS) for hit in hits)
        return strong and any(hit.kind is Kind.YOU for hit in hits)

    found = [match.group() for match in _ASIDE.finditer(text) if is_bait(match.group())]
    for aside in found:
        text = text.replace(aside, " ")
    return text, [f"“{aside.strip()}” dropped" for aside in found]


def _without_tail(text: str, lexicon: Lexicon, patterns: _Patterns) -> Step:
    match = patterns.tail.search(text) if patterns.tail else None
    if match is None or _size(text[: match.start()], lexicon) < _MIN_WORDS_LEFT:
        return text, []
    return text[: match.start()], [f"“{match.group(1)}” dropped"]


def _without_ending(text: str, lexicon: Lexicon, patterns: _Patterns) -> Step:
    """Drop clauses that promise an effect on the reader: "facts that will change your life"."""
    match = patterns.ending.search(text) if patterns.ending else None
    if match is None or _size(text[: match.start()], lexicon) < _MIN_WORDS_LEFT:
        return text, []
    return text[: match.start()], [f"“{match.group(1)}” dropped"]


def _without_lead(text: str, lexicon: Lexicon, patterns: _Patterns) -> Step:
    dropped: list[str] = []
    while match := next(
        (
            found
            for pattern in (patterns.lead, patterns.marked_lead)
            if pattern and (found := pattern.match(text))
        ),
        None,
    ):
        rest = text[match.end() :]
        first = next(iter(words_of(rest)), None)
        # "The moment of truth" is not an opener, and the rest must still say something.
        if _size(rest, lexicon) < _MIN_WORDS_LEFT or (first and first.lower in _PREPOSITIONS):
            break
        dropped.append(f"“{match.group(1)}” dropped")
        text = rest
    return text, dropped


def _with_plain_verbs(text: str, lexicon: Lexicon, patterns: _Patterns) -> Step:
    changes: list[str] = []

    def plain(match: re.Match[str]) -> str:
        original = match.group(1)
        # Letters that only look alike ("ſ") match regardless of case, but are not in the list.
        key = original.lower().replace(",", "").replace("’", "'")
        word = lexicon.neutral.get(key)
        before, after = text[: match.start()], text[match.end() :]
        if word is None or _is_noun(before, after, lexicon) or _is_force(before, after, lexicon):
            return original
        if key in lexicon.neutral_of_amounts and not _is_of_amount(before, after, lexicon):
            return original
        changes.append(f"“{original}” is loaded")
        return word[:1].upper() + word[1:] if original[:1].isupper() and is_title_case(text) else word

    return (patterns.loaded.sub(plain, text), changes) if patterns.loaded else (text, [])


def _is_noun(before: str, after: str, lexicon: Lexicon) -> bool:
    """Tell whether a word is a noun, as in "Three blasts in Mumbai kill 21": counted, or before a place or a verb."""
    previous = before.rsplit(maxsplit=1)[-1].lower() if before.split() else ""
    if lexicon.language != "en":
        return not previous and not lexicon.spaceless
    following = after.split(maxsplit=1)[0].lower().strip(".,;:!?") if after.split() else ""
    return previous in _BEFORE_NOUN or previous.isdecimal() or not previous or following in _AFTER_NOUN


def _is_force(before: str, after: str, lexicon: Lexicon) -> bool:
    """Tell whether the verb is meant literally: hurricanes slam coasts, armies blast bases; they criticize nobody."""
    return any(word.lower in lexicon.forces for word in words_of(before)) or any(
        word.lower in lexicon.aims for word in words_of(after)
    )


def _is_of_amount(before: str, after: str, lexicon: Lexicon) -> bool:
    """Tell whether prices, numbers and the like are what rises or falls: a house that explodes does not rise."""
    clause = words_of(_CLAUSE_END.split(before)[-1])
    following = words_of(after)[:2]
    # "explose les compteurs" has an object, "se dispara un 12 %" has none.
    has_object = bool(following) and following[0].lower in ARTICLES and not following[-1].lower[0].isdecimal()
    return (
        any(word.lower in lexicon.amounts for word in clause[:2])
        and clause[-1].lower not in _RELATIVE
        and not has_object
    )


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
    titled = is_title_case(text)
    for index, word in enumerate(words):
        before = words[index - 1].lower if index else ""
        after = words[index + 1] if index + 1 < len(words) else None
        if word.lower not in lexicon.drop or after is None or text[word.end : after.start].strip():
            continue
        start = word.start
        if before in _GRADES and index > 1 and words[index - 2].lower == "the":
            # "the most incredible phone" is "the phone"; "is more incredible" stays.
            start, before = words[index - 1].start, "the"
        if before in FUNCTION_WORDS and after.lower[:1].isdecimal():
            # "a brutal 1,200 jobs" is "1,200 jobs".
            start, before = words[index - 1].start, ""
        if before in BEFORE_PREDICATE or after.lower in _AFTER_PREDICATE:
            continue
        if (
            lexicon.language == "de"
            and word.lower.endswith(_GERMAN_ENDINGS)
            and not _is_german_noun(text, after)
        ):
            continue
        # Nor after an adverb ("slightly horrifying facts"), nor where it is a verb.
        if before.endswith("ly") or (before in _BEFORE_DEED and word.lower.endswith("ing")):
            continue
        if text[start - 1 : start] in _QUOTES or (index and not titled and _is_name(text, word)):
            continue
        parts.append(_with_article(text[end:start], before, after.lower))
        end = after.start
        if text[start].isupper() and _starts_sentence(text, start):
            parts.append(text[end].upper())
            end += 1
        changes.append(f"“{text[start : word.end]}” dropped")
    rest = text[end:]
    if any(change.lower().startswith("“most ") for change in changes):
        rest = _EVER.sub("", rest, count=1)
    return "".join(parts) + rest, changes


def _without_judgements(text: str, lexicon: Lexicon, patterns: _Patterns) -> Step:
    return without_judgements(text, lexicon)


def _is_german_noun(text: str, word: Word) -> bool:
    return text[word.start].isupper() or text[word.start].isdecimal()


def _is_name(text: str, word: Word) -> bool:
    """Tell whether a word has a capital within a line of small letters: "the Crazy Horse"."""
    form = text[word.start : word.end]
    return form[:1].isupper() and not form.isupper() and not _starts_sentence(text, word.start)


def _starts_sentence(text: str, start: int) -> bool:
    return text[:start].rstrip()[-1:] in (".", "!", "?", ":", "…", "¡", "–", "—", "|")


def _with_article(head: str, before: str, following: str) -> str:
    """Correct the article before a dropped word: "an incredible story" becomes "a story"."""
    if before not in FUNCTION_WORDS:
        return head
    sounds_open = following.startswith(_SILENT_H) or following[:1] in "aeiou"
    article = "an" if sounds_open and not following.startswith(_SPOKEN_Y) else "a"
    kept = head.rstrip()[: -len(before)]
    original = head.rstrip()[-len(before) :]
    return kept + (article.capitalize() if original[:1].isupper() else article) + " "


def _calm(text: str, lexicon: Lexicon) -> Step:
    calm = re.sub(r"[?？][?!？！]+|[!！]+[?？]+", "？" if lexicon.spaceless else "?", text)
    calm = re.sub(r"(?:\.{2,}|…)+\s*$", "", calm)
    within, stop = (r"[!！]+(?=\s*\S)", "，") if lexicon.spaceless else (r"\s*[!！]+(?=\s+\S)", ".")
    calm = re.sub(within, stop, calm)
    # A mark inside a name ("Yahoo!7") or a quotation is part of it.
    calm = re.sub(r"!+(?=\s|\Z)|[！¡]+", " ", calm)
    marks = ["marks dropped"] if calm != text else []
    calm = re.sub(r"\s*\n\s*| {2,}", " ", calm).strip(" \u00a0\u202f,;:|–—-·，：；")
    # French sets a space before these marks, as the original has it.
    return re.sub(r"\s+([,.])" if lexicon.language == "fr" else r"\s+([,.;:?])", r"\1", calm), marks


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

    closing = r"[\s.!?…)\]！？。]*\Z"

    def tail(alternatives: str) -> str:
        return rf"\s*{_POINT}\s*{edge}{alternatives}{edge}{closing}"

    separator = r"[:!|–—！：，,]+" if lexicon.spaceless else r"(?:\s*[:!|–—]+|\s+-)"
    neutral = tuple(sorted(lexicon.neutral, key=len, reverse=True))
    marked_leads = tuple(term for term in lexicon.leads if term in lexicon.labels)
    plain_leads = tuple(term for term in lexicon.leads if term not in lexicon.labels)
    return _Patterns(
        label=compiled(lexicon.labels, lambda terms: rf"\s*[¡]?{_OPEN}?{terms}{_CLOSE}?{separator}[\s!|]*"),
        bracketed=compiled(lexicon.labels, lambda terms: rf"\s*{_OPEN}\s*{terms}\s*{_CLOSE}\s*"),
        tail=compiled(lexicon.tails, tail),
        ending=compiled(lexicon.endings, lambda terms: rf"[,，]?\s*{edge}{terms}{edge}{closing}"),
        lead=compiled(plain_leads, lambda terms: rf"\s*{terms}{edge}[\s:,!…！，]*"),
        marked_lead=compiled(marked_leads, lambda terms: rf"\s*{terms}{edge}\s*[:,!…！，]+\s*"),
        loaded=compiled(neutral, lambda terms: f"{edge}{terms}{edge}"),
    )


def _loosely(term: str) -> str:
    """Return a pattern for a term as people type it: either apostrophe, optional commas.

    In the lists `this/that` means either word, and `…` a few words of any kind.
    """
    pattern = ""
    for word in term.split():
        if word == "…":
            pattern += r"(?:[^\s.!?:]+\s){0,6}?"
        else:
            forms = "|".join(re.escape(form) for form in word.split("/")).replace("'", "['’]")
            pattern += f"(?:{forms})(?:,?\\s|(?!\\w))"
    return pattern.removesuffix(r"(?:,?\s|(?!\w))")
