"""The geometry of bar charts. Pure; templates use SVG attributes, because the policy allows no inline style."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from inforadar.store.feeds.history import FeedDay
from inforadar.translations import gettext as _
from inforadar.views.times import shown_day

MIN_BAR_SHARE = 0.06
"""The minimum height of a bar with a value above zero, as a share of the full height."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    kind: str
    """The CSS class that sets its colour."""
    says: str
    """The text shown on hover."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    width: float
    height: float
    bars: tuple[Bar, ...]
    base: float | None = None
    """The y of the base line, if bars go both up and down from it."""
    most: float = 0.0
    """The value of a bar with full height."""


def days_until(last: date, number: int) -> list[date]:
    """Return the last `number` days up to `last`, oldest first."""
    return [last - timedelta(days=back) for back in range(number - 1, -1, -1)]


def sparkline(days: Sequence[FeedDay], last: date, number: int) -> Plot:
    """One bar per day: new items up from the base line, failures down."""
    by_day = {day.day: day for day in days}
    above, below = 18.0, 6.0
    most_added = max((day.added for day in days), default=0)
    most_failed = max((day.failures for day in days), default=0)
    bars = []
    for place, day in enumerate(days_until(last, number)):
        if (found := by_day.get(day)) is None:
            continue
        says = _(
            "%(day)s: %(added)s new, %(failures)s of %(fetches)s fetches failed",
            day=shown_day(day, last),
            added=found.added,
            failures=found.failures,
            fetches=found.fetches,
        )
        if found.added:
            height = _height(found.added, most_added, above)
            bars.append(
                Bar(x=place * 4.0, y=above - height, width=3.0, height=height, kind="added", says=says)
            )
        elif found.fetches > found.failures:
            bars.append(Bar(x=place * 4.0, y=above - 1, width=3.0, height=1.0, kind="calm", says=says))
        if found.failures:
            height = _height(found.failures, most_failed, below)
            bars.append(Bar(x=place * 4.0, y=above + 1, width=3.0, height=height, kind="failed", says=says))
    return Plot(width=number * 4.0, height=above + 1 + below, bars=tuple(bars), base=above, most=most_added)


def stacked(
    counts: Mapping[date, Mapping[str, float]],
    names: Mapping[str, str],
    last: date,
    number: int,
    shown: Callable[[float], str],
) -> Plot:
    """One stacked bar per day. `names` maps each part to its CSS class, bottom first; `shown` says a value."""
    most = max((sum(parts.values()) for parts in counts.values()), default=0.0)
    height, bars = 120.0, []
    for place, day in enumerate(days_until(last, number)):
        top = height
        for name, kind in names.items():
            value = counts.get(day, {}).get(name, 0)
            if not value or not most:
                continue
            part = max(value / most * height, 0.5)
            top = max(top - part, 0.0)
            says = f"{shown_day(day, last)}, {name}: {shown(value)}"
            bars.append(
                Bar(x=place * 12.0, y=round(top, 2), width=10.0, height=round(part, 2), kind=kind, says=says)
            )
    return Plot(width=number * 12.0, height=height, bars=tuple(bars), most=most)


def histogram(bins: Sequence[int], kinds: Sequence[str]) -> Plot:
    """One bar per bin; `kinds` holds the CSS class of each."""
    most, height = max(bins, default=0), 36.0
    bars = tuple(
        Bar(
            x=place * 12.0,
            y=height - part,
            width=11.0,
            height=part,
            kind=kind,
            says=_(
                "%(least)s to %(most)s: %(number)s",
                least=f"{place / len(bins):.1f}",
                most=f"{(place + 1) / len(bins):.1f}",
                number=number,
            ),
        )
        for place, (number, kind) in enumerate(zip(bins, kinds, strict=True))
        if number
        for part in [_height(number, most, height)]
    )
    return Plot(width=len(bins) * 12.0, height=height, bars=bars, most=most)


def _height(value: float, most: float, full: float) -> float:
    return round(max(value / most, MIN_BAR_SHARE) * full, 2)
