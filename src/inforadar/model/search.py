"""The search language, the same in every face and in rules. Pure.

    ferry "harbour tax" -football (storm OR flood) source:Habr topic:python title:budget
    before:2026-03-01 after:7d score:>0.6 lang:pl story:>=3 changed:number is:unread label:later

Terms side by side must all match; `OR` joins its two neighbours; `-` or `NOT` excludes; parentheses group. A field that
is not known is searched as plain words, because a colon is common in titles.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID

from inforadar.errors import UsageError
from inforadar.model.analysis import SCORE_BANDS
from inforadar.model.revision import ChangeKind
from inforadar.model.search_tree import (
    After,
    All,
    AnyOf,
    Before,
    Changed,
    HasLabel,
    HasMark,
    InStory,
    InTitle,
    Language,
    Moment,
    Node,
    Not,
    Phrase,
    ScoreRange,
    Source,
    StorySize,
    Topic,
    Word,
)
from inforadar.short_cache import short_cache
from inforadar.texts import storable_text

MAX_QUERY_CHARS = 1000
"""How long a query may be; the rest of a longer one is not looked at."""
_MAX_DEPTH = 20
"""How deep parentheses may be nested; deeper ones are not looked at."""


MARKS = ("read", "unread", "starred", "archived")
_UNITS = {"h": 3600, "d": 86_400, "w": 604_800, "m": 2_592_000, "y": 31_536_000}
_AGO = re.compile(r"(\d{1,6})\s*([hdwmy])", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)"
_COMPARED = re.compile(rf"(<=|>=|<|>|=)\s*{_NUMBER}")
_RANGE = re.compile(rf"{_NUMBER}?(?:\.\.|-){_NUMBER}?")
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<open>-?\() | (?P<close>\)) |
        (?P<minus>-)? (?:(?P<field>[^\W\d_]+):)? (?: "(?P<quoted>[^"]*)(?:"|$) | (?P<bare>[^\s()"]+) )
        | (?P<other>\S)
    )""",
    re.VERBOSE,
)


@short_cache(256, max_length=MAX_QUERY_CHARS)
def parse_search(query: str) -> Node | None:
    """Parse a query; None if it has no term. Raises `UsageError` for a field whose value means nothing."""
    return _Parser(storable_text(query[:MAX_QUERY_CHARS])).parse()


class _Parser:
    def __init__(self, query: str) -> None:
        self._tokens = [found for found in _TOKEN.finditer(query) if found.group().strip()]
        self._place = 0

    def parse(self) -> Node | None:
        parts: list[Node] = []
        while self._place < len(self._tokens):
            node = self._all(0)
            parts += [node] if node else []
            self._place += 1  # a parenthesis that closes nothing
        return _join(parts)

    def _all(self, depth: int) -> Node | None:
        """Terms up to the closing parenthesis."""
        parts: list[Node] = []
        pending_or = False
        while self._place < len(self._tokens) and not self._tokens[self._place]["close"]:
            token = self._tokens[self._place]
            if _is_keyword(token, "OR"):
                pending_or = bool(parts)
                self._place += 1
                continue
            if _is_keyword(token, "AND"):
                self._place += 1
                continue
            node = self._one(depth)
            if node is None:
                continue
            if pending_or:
                last = parts.pop()
                node = AnyOf((*last.nodes, node) if isinstance(last, AnyOf) else (last, node))
                pending_or = False
            parts.append(node)
        return _join(parts)

    def _one(self, depth: int) -> Node | None:
        token = self._tokens[self._place]
        self._place += 1
        if _is_keyword(token, "NOT"):
            if self._place >= len(self._tokens) or self._tokens[self._place]["close"]:
                return None
            return _negated(self._one(depth))
        if token["open"]:
            if depth >= _MAX_DEPTH:
                return None
            inner = self._all(depth + 1)
            self._place += 1
            return _negated(inner) if token["open"] == "-(" else inner
        if token["other"]:
            return None
        leaf = _leaf(token)
        return _negated(leaf) if token["minus"] else leaf


def _is_keyword(token: re.Match[str], word: str) -> bool:
    return token["bare"] == word and not token["minus"] and not token["field"]


def _negated(node: Node | None) -> Node | None:
    return Not(node) if node else None


def _join(parts: list[Node]) -> Node | None:
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else All(tuple(parts))


def _leaf(token: re.Match[str]) -> Node | None:
    name, quoted, bare = token["field"], token["quoted"], token["bare"]
    value = (quoted if quoted is not None else bare).strip()
    field = _FIELDS.get(name.casefold()) if name else None
    if field:
        return field(value) if value else None
    if quoted is not None and not name:
        return Phrase(value) if value else None
    return Word(f"{name}:{value}" if name else value)


def _moment(field: str, value: str) -> Moment:
    if value.casefold() == "today":
        return Moment(ago=timedelta(days=1))
    if found := _AGO.fullmatch(value):
        seconds = min(int(found[1]) * _UNITS[found[2].casefold()], 100 * _UNITS["y"])
        return Moment(ago=timedelta(seconds=seconds))
    try:
        if found := _DATE.fullmatch(value):
            return Moment(at=datetime(int(found[1]), int(found[2] or 1), int(found[3] or 1), tzinfo=UTC))
        at = datetime.fromisoformat(value)
        return Moment(at=at if at.tzinfo else at.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        raise UsageError(
            f"{field}: takes a date such as 2026-03-01, or an age such as 7d or 12h, not {value!r}."
        ) from None


def parse_time(text: str, now: datetime) -> datetime:
    """Read a date, or a time from now such as 7d."""
    moment = _moment("until", text.strip())
    return moment.at if moment.at is not None else now + (moment.ago or timedelta(0))


def _score(value: str) -> Node:
    if band := SCORE_BANDS.get(value.casefold()):
        low, bound = band
        return ScoreRange(low=low or 0.0, high=1.0 if bound is None else bound, has_high=bound is None)
    if found := _COMPARED.fullmatch(value):
        return _compared(found[1], float(found[2]))
    if (found := _RANGE.fullmatch(value)) and (found[1] or found[2]):
        return ScoreRange(low=float(found[1] or 0), high=float(found[2] or 1))
    raise UsageError(
        "score: takes a range such as >0.6, <=0.3 or 0.2..0.5, or the word neutral, slanted or loaded, "
        f"not {value!r}."
    )


def _compared(sign: str, number: float) -> ScoreRange:
    match sign:
        case "<":
            return ScoreRange(high=number, has_high=False)
        case "<=":
            return ScoreRange(high=number)
        case ">":
            return ScoreRange(low=number, has_low=False)
        case ">=":
            return ScoreRange(low=number)
        case _:
            return ScoreRange(low=number, high=number)


def _story(value: str) -> Node:
    if (found := _COMPARED.fullmatch(value)) and "." not in found[2]:
        number = min(int(found[2]), 10**9)
        sizes: dict[str, tuple[int, int | None]] = {
            "<": (0, number - 1),
            "<=": (0, number),
            ">": (number + 1, None),
            ">=": (number, None),
            "=": (number, number),
        }
        return StorySize(*sizes[found[1]])
    if value.isascii() and value.isdigit():
        return StorySize(min(int(value), 10**9))
    try:
        return InStory(UUID(value))
    except ValueError:
        raise UsageError(
            f"story: takes a number of sources such as >=3, or the id of a story, not {value!r}."
        ) from None


def _changed(value: str) -> Node:
    lowered = value.casefold()
    if lowered in {"yes", "any", "true", "1"}:
        return Changed()
    what = _OTHER_CHANGE_WORDS.get(lowered, lowered)
    if what in CHANGE_WORDS:
        return Changed(what=what)
    try:
        return Changed(since=_moment("changed", value))
    except UsageError:
        raise UsageError(
            f"changed: takes yes, one of {', '.join(CHANGE_WORDS)}, a date or an age such as 2d, not {value!r}."
        ) from None


LISTING_FIELDS = ("title", "author", "snippet", "tags", "enclosures")
"""Fields of a listing whose changes can be asked for."""
SIGNIFICANT_CHANGE = "significant"
CHANGE_WORDS = (
    *dict.fromkeys((*(kind.value for kind in ChangeKind), *LISTING_FIELDS)),
    SIGNIFICANT_CHANGE,
)
"""The values of `changed:` besides a time."""
_OTHER_CHANGE_WORDS = {
    "headline": "title",
    "numbers": "number",
    "names": "name",
    "quote": "quotation",
    "quotes": "quotation",
    "quotations": "quotation",
    "removal": "removed",
    "addition": "added",
}


def _is(value: str) -> Node:
    lowered = value.casefold()
    if lowered not in MARKS:
        raise UsageError(f"is: takes one of {', '.join(MARKS)}, not {value!r}.")
    return HasMark(lowered)


def _lang(value: str) -> Node:
    return Language(value.casefold().replace("_", "-"))


_FIELDS: Mapping[str, Callable[[str], Node]] = {
    "source": Source,
    "topic": Topic,
    "title": InTitle,
    "intitle": InTitle,
    "before": lambda value: Before(_moment("before", value)),
    "after": lambda value: After(_moment("after", value)),
    "score": _score,
    "lang": _lang,
    "story": _story,
    "changed": _changed,
    "is": _is,
    "label": HasLabel,
}
FIELDS = tuple(_FIELDS)
"""The names of fields, for help texts."""
