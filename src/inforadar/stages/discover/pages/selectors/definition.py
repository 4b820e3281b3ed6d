"""The definition of a listing page's fields in CSS selectors, as a person writes it in TOML.

    item = "article.post"           # each match is an item; the others are searched for inside it
    link = "h2 a"
    title = "h2 a"
    date = "time"                   # its datetime attribute, else its text
    views = ".views"                # author, snippet, tags, comments, rating, bookmarks likewise
    next = "a[rel=next]"            # or: page_url = "https://news.example/latest?page={page}"

`selector@name` takes an attribute instead of the text, `@name` an attribute of the item itself. All problems of a
file are reported at once, each with its key.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from inforadar.errors import UsageError
from inforadar.stages.discover.dates.relative import parse_formatted_date

REQUIRED = ("item", "link", "title", "date")
SELECTOR_KEYS = (
    "item", "link", "title", "date", "author", "snippet", "tags", "views", "comments", "rating", "bookmarks", "next",
)  # fmt: skip
"""The keys that hold a selector, in the order a preview shows them."""

PAGE_PLACEHOLDER = "{page}"
_ATTRIBUTE = re.compile(r"(?P<css>.*?)@(?P<attribute>[A-Za-z][\w:.-]*)", re.DOTALL)
_MAX_VALUE_CHARS = 1_000


class SelectorsError(UsageError):
    """Unusable selectors; `problems` are sentences, each about one key."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Selectors:
    """The selectors for one site. Optional fields are None if the site does not show them."""

    item: str
    link: str
    title: str
    date: str
    author: str | None = None
    snippet: str | None = None
    tags: str | None = None
    views: str | None = None
    comments: str | None = None
    rating: str | None = None
    bookmarks: str | None = None
    next: str | None = None
    """The link to the next page, searched for on the whole page."""
    page_url: str | None = None
    """The URL of any page, with `{page}` in place of its number; an alternative to `next`."""
    first_page: int = 1
    """The page number of the feed's own URL."""
    date_format: str | None = None
    """The `strptime` format of the dates, for those that are misread without it."""


def parse_selectors_toml(text: str) -> Selectors:
    """Parse the selectors in a TOML file; raises `SelectorsError` with all problems."""
    try:
        return parse_selectors(tomllib.loads(text))
    except tomllib.TOMLDecodeError as fault:
        raise SelectorsError((f"The selectors are not valid TOML: {fault}.",)) from None


def parse_draft(values: Mapping[str, Any]) -> tuple[Selectors, frozenset[str]]:
    """Parse selectors that are still being written: only `item` is needed.

    Returns the names of the other required ones that are missing; they are empty, and `guess.py` finds values for them.
    """
    missing = frozenset(key for key in REQUIRED if key != "item" and key not in values)
    parsed = parse_selectors({**values, **dict.fromkeys(missing, "a")})
    empty: dict[str, Any] = dict.fromkeys(missing, "")
    return replace(parsed, **empty), missing


def parse_selectors(values: Mapping[str, Any]) -> Selectors:
    """Parse selectors from a mapping, as feeds store them; raises `SelectorsError` with all problems."""
    known = {field.name: field for field in fields(Selectors)}
    problems = [
        f"`{key}` is not a key; the keys are {', '.join(known)}." for key in values if key not in known
    ]
    problems += [f"`{key}` is missing." for key in REQUIRED if key not in values]
    for key in known:
        value = values.get(key)
        if value is None:
            continue
        if key == "first_page":
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                problems.append(f"`first_page` must be a whole number, 0 or more, not {value!r}.")
        elif not isinstance(value, str) or not value.strip() or len(value) > _MAX_VALUE_CHARS:
            problems.append(
                f"`{key}` must be a text of 1 to {_MAX_VALUE_CHARS:,} characters, not {str(value)[:80]!r}."
            )
        elif key in SELECTOR_KEYS and (problem := selector_problem(key, value)):
            problems.append(problem)
    problems += _other_problems(values)
    if problems:
        raise SelectorsError(tuple(problems))
    return Selectors(**{key: value for key, value in values.items() if value is not None})


def selector_problem(key: str, selector: str) -> str | None:
    """A sentence that says what is wrong with one selector, or None."""
    css, attribute = split_selector(selector)
    if key == "item" and attribute is not None:
        return "`item` selects elements, so it takes no @attribute."
    if not css:
        return None if attribute and key != "next" else f"`{key}` has no selector."
    try:
        LexborHTMLParser("<p></p>").css(css)
    except SelectolaxError:
        return f"`{key}` is not a valid CSS selector: {css!r}."
    return None


def split_selector(selector: str) -> tuple[str, str | None]:
    """Split into the CSS selector and the attribute; an `@` inside brackets belongs to the selector."""
    match = _ATTRIBUTE.fullmatch(selector.strip())
    return (match["css"].strip(), match["attribute"]) if match else (selector.strip(), None)


def _other_problems(values: Mapping[str, Any]) -> list[str]:
    problems: list[str] = []
    page_url, date_format = values.get("page_url"), values.get("date_format")
    if isinstance(page_url, str):
        if values.get("next") is not None:
            problems.append("Both `next` and `page_url` are given; use only one.")
        if page_url.count(PAGE_PLACEHOLDER) != 1:
            problems.append(f"`page_url` must contain {PAGE_PLACEHOLDER} exactly once.")
    if isinstance(date_format, str):
        example = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        read = parse_formatted_date(example.strftime(date_format), date_format, example)
        if read is None or read.date() != example.date():
            problems.append(f"`date_format` is not a date format with a day and a month: {date_format!r}.")
    return problems
