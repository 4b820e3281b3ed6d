"""A reader's settings of the page, stored with the person. Pure.

A setting has a few choices, the first of which is the default; one that is not known any more falls back to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from zoneinfo import available_timezones

from inforadar.model.person import Person
from inforadar.translations import LANGUAGES

PREFIX = "page_"
"""Of the names under which settings of the page are stored."""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "language": ("auto", *(language.code for language in LANGUAGES)),
    "theme": ("system", "light", "dark", "sepia"),
    "font": ("serif", "sans"),
    "size": ("normal", "small", "large", "huge"),
    "leading": ("normal", "tight", "loose"),
    "width": ("normal", "narrow", "wide"),
    "density": ("cards", "list", "headlines"),
    "pictures": ("show", "hide"),
    "marks": ("titles", "off", "everywhere"),
    "neutral": ("off", "on"),
    "start": ("all", "unread", "starred"),
    "counts": ("show", "hide"),
    "scroll": ("keep", "read"),
    "view": ("stories", "articles"),
    "along": ("copies", "story", "article"),
    "apps": ("articles", "stories"),
    "place": ("newest", "keep"),
    "tour": ("show", "seen"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSettings:
    language: str = "auto"
    """Of the interface; by default the browser's."""
    theme: str = "system"
    font: str = "serif"
    """Typeface of articles."""
    size: str = "normal"
    leading: str = "normal"
    """Line height of articles."""
    width: str = "normal"
    """Width of articles."""
    density: str = "cards"
    """How much the list shows of each item."""
    pictures: str = "show"
    marks: str = "titles"
    """Where loaded words are marked."""
    neutral: str = "off"
    """Whether the neutral title comes first."""
    start: str = "all"
    """What `/` shows."""
    counts: str = "show"
    """Whether unread items are counted."""
    scroll: str = "keep"
    """Whether scrolling past an item marks it as read."""
    view: str = "stories"
    """Whether lists show each event once, or each article."""
    along: str = "copies"
    """The items marked as read along with an article (`model.person.Along`)."""
    apps: str = "articles"
    """Whether reader apps show each event once, or each article."""
    place: str = "newest"
    """Where a list opens: at its newest item, or, as a timeline, where it was left."""
    zone: str = ""
    """An IANA name; empty: the browser's own."""
    tour: str = "show"
    """Whether the page introduces itself."""


DEFAULTS = ReaderSettings()
NAMES = (*CHOICES, "zone")


@cache
def time_zones() -> tuple[str, ...]:
    """The names of all time zones."""
    return tuple(sorted(available_timezones()))


def is_choice(name: str, value: object) -> bool:
    """Whether a setting can have this value."""
    if name == "zone":
        return value == "" or value in time_zones()
    return value in CHOICES.get(name, ())


def settings_of(person: Person | None) -> ReaderSettings:
    """Return this person's settings; without a person, the defaults."""
    if person is None or not person.settings:
        return DEFAULTS
    stored = {
        name.removeprefix(PREFIX): value for name, value in person.settings.items() if name.startswith(PREFIX)
    }
    return ReaderSettings(
        **{name: value for name, value in stored.items() if isinstance(value, str) and is_choice(name, value)}
    )
