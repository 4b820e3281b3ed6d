"""Selectors: where the fields of a listing page stand, as a person writes them down in TOML.

    item = "article.post"           # each match is an item; the others are looked for inside of it
    link = "h2 a"
    title = "h2 a"
    date = "time"                   # its datetime attribute, else its text
    views = ".views"                # author, snippet, tags, comments, rating, bookmarks likewise
    next = "a[rel=next]"            # on the page; or: page_url = "https://news.example/latest?page={page}"

`selector@name` takes an attribute instead of the text, `@name` an attribute of the item itself. All that is wrong
with a file is said at once, by the key it is wrong with.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from inforadar.errors import UsageError
from inforadar.stages.discover.dates.relative import parse_formatted_date

REQUIRED = ("item", "link", "title", "date")
SELECTED = (
    "item", "link", "title", "date", "author", "snippet", "tags", "views", "comments", "rating", "bookmarks", "next",
)  # fmt: skip
"""The keys that hold a selector, in the order a preview shows them."""

PAGE = "{page}"
_ATTRIBUTE = re.compile(r"(?P<css>.*?)@(?P<attribute>[A-Za-z][\w:.-]*)", re.DOTALL)
_LONGEST = 1_000


class SelectorsError(UsageError):
    """Selectors that cannot be used; `problems` are sentences, each about one key."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Selectors:
    """One site's listing pages. Optional fields are None where the site does not show them."""

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
    """The link to the next page, looked for on the whole page."""
    page_url: str | None = None
    """The URL of any page, with `{page}` where its number stands; instead of `next`."""
    first_page: int = 1
    """The number of the page that the feed's own URL shows."""
    date_format: str | None = None
    """How dates are written, as `strptime` has it; for those that are not read rightly without."""


def parse_selectors_toml(text: str) -> Selectors:
    """The selectors in a file; `SelectorsError` says what is wrong with it."""
    try:
        return parse_selectors(tomllib.loads(text))
    except tomllib.TOMLDecodeError as fault:
        raise SelectorsError((f"This is no TOML: {fault}.",)) from None


def parse_selectors(values: Mapping[str, Any]) -> Selectors:
    """The selectors in a mapping, as feeds keep them; `SelectorsError` says all that is wrong with it."""
    known = {field.name: field for field in fields(Selectors)}
    problems = [f"`{key}` is not a key; there are {', '.join(known)}." for key in values if key not in known]
    problems += [f"`{key}` is missing." for key in REQUIRED if key not in values]
    for key in known:
        value = values.get(key)
        if value is None:
            continue
        if key == "first_page":
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                problems.append(f"`first_page` is a number from 0 on, not {value!r}.")
        elif not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
            problems.append(f"`{key}` is a text of up to {_LONGEST:,} characters, not {str(value)[:80]!r}.")
        elif key in SELECTED and (problem := selector_problem(key, value)):
            problems.append(problem)
    problems += _other_problems(values)
    if problems:
        raise SelectorsError(tuple(problems))
    return Selectors(**{key: value for key, value in values.items() if value is not None})


def selector_problem(key: str, selector: str) -> str | None:
    """What is wrong with one selector, in a sentence that names it."""
    css, attribute = split_selector(selector)
    if key == "item" and attribute is not None:
        return "`item` names elements, so it has no @attribute."
    if not css:
        return None if attribute and key != "next" else f"`{key}` has no selector."
    try:
        LexborHTMLParser("<p></p>").css(css)
    except SelectolaxError:
        return f"`{key}` is no CSS selector that can be read: {css!r}."
    return None


def split_selector(selector: str) -> tuple[str, str | None]:
    """The CSS selector and the attribute that is asked for; an `@` inside of brackets belongs to the selector."""
    match = _ATTRIBUTE.fullmatch(selector.strip())
    return (match["css"].strip(), match["attribute"]) if match else (selector.strip(), None)


def _other_problems(values: Mapping[str, Any]) -> list[str]:
    problems: list[str] = []
    page_url, date_format = values.get("page_url"), values.get("date_format")
    if isinstance(page_url, str):
        if values.get("next") is not None:
            problems.append("There are both `next` and `page_url`; one of them is enough.")
        if page_url.count(PAGE) != 1:
            problems.append(f"`page_url` has the number of the page in it once, as {PAGE}.")
    if isinstance(date_format, str):
        example = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        read = parse_formatted_date(example.strftime(date_format), date_format, example)
        if read is None or read.date() != example.date():
            problems.append(f"`date_format` is no format of a date with a day and a month: {date_format!r}.")
    return problems
