"""`/statistics`: charts of the last days, each with its table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.model.analysis import Score
from inforadar.model.http import Outcome
from inforadar.store.database import Database
from inforadar.store.feeds.queries import load_broken_count
from inforadar.translations import gettext as _
from inforadar.translations import ngettext, term
from inforadar.views.times import grouped
from inforadar.web.http import parameters
from inforadar.web.http.routing import resource
from inforadar.web.pages.plots import Plot, days_until, histogram, stacked
from inforadar.web.pages.templating import Pages

DEFAULT_DAYS = 30
RANGES = (7, 30, 90)
MIN_DAYS = 7
"""Minimum days in a chart."""
MAX_SERIES = 6
"""Maximum sources with their own colour; the others are drawn together."""
OTHERS = term("series", "all others")
SHOWN_SOURCES = 24
OUTCOME_KINDS = {
    Outcome.SUCCESS.value: "ok",
    Outcome.TEMPORARY_ERROR.value: "wait",
    Outcome.UNAUTHORIZED.value: "bad",
    Outcome.PERMANENT_ERROR.value: "bad",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ByDay:
    """A chart by day and the same numbers as a table: one row per day, one column per series."""

    plot: Plot
    series: Mapping[str, str]
    """{name: CSS class of its colour}."""
    rows: Sequence[tuple[date, Sequence[float]]]
    total: float
    first: date
    """The first day of the chart."""

    @property
    def shares(self) -> Sequence[tuple[str, str, float, float]]:
        """(name, CSS class, value, percent of the largest) of a single day, most first: one bar would say nothing."""
        values = dict(zip(self.series, self.rows[0][1], strict=True))
        most = max(values.values(), default=0) or 1
        found = [(name, self.series[name], value, value / most * 100) for name, value in values.items()]
        return sorted(found, key=lambda one: -one[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceScores:
    source: str
    mean: Score
    number: int
    bins: Sequence[int]
    plot: Plot


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsRoutes:
    database: Database
    pages: Pages
    numbers: Callable[[int], Awaitable[dict[str, Any]]]
    """Load the statistics of the last days, the same as the API's."""
    now: Callable[[], datetime]

    def routes(self) -> list[Route]:
        return [resource("/statistics", get=self.show)]

    async def show(self, request: Request) -> Response:
        days = parameters.number(request.query_params, "days", 1, 365, default=DEFAULT_DAYS)
        found = await self.numbers(days)
        last = self.now().astimezone(UTC).date()
        return self.pages.render(
            request,
            "statistics.html",
            days=days,
            ranges=RANGES,
            others=OTHERS,
            last=last,
            feeds=found["feeds"],
            items=items_by_day(found["items_by_day"], last, days),
            outcomes=outcomes_by_day(found["outcomes_by_day"], last, days),
            costs=costs_by_day(found["cost_by_day"], last, days),
            calls=sum(row["calls"] for row in found["cost_by_day"]),
            scores=scores_by_source(found["scores_by_source"])[:SHOWN_SOURCES],
            hosts=found["slowest_hosts"],
            articles=found["articles"],
            failures=found["failures"],
            broken=await self.database.read(load_broken_count),
        )


def items_by_day(rows: Iterable[Mapping[str, Any]], last: date, days: int) -> ByDay:
    """Chart the sources with the most items separately and the others together."""
    rows = list(rows)
    totals: Counter[str] = Counter()
    for row in rows:
        totals[row["source"]] += row["items"]
    names = [name for name, _number in totals.most_common(MAX_SERIES)]
    series = {name: f"series-{place}" for place, name in enumerate(names)}
    if len(totals) > len(names):
        series[OTHERS] = "series-other"
    counted = (
        (row["day"], row["source"] if row["source"] in names else OTHERS, row["items"]) for row in rows
    )
    return _by_day(counted, series, last, days, _items)


def outcomes_by_day(rows: Iterable[Mapping[str, Any]], last: date, days: int) -> ByDay:
    counted = [(row["day"], row["outcome"], row["fetches"]) for row in rows]
    present = {row[1] for row in counted}
    series = {name: kind for name, kind in OUTCOME_KINDS.items() if name in present}
    return _by_day(counted, series, last, days, _fetches)


def costs_by_day(rows: Iterable[Mapping[str, Any]], last: date, days: int) -> ByDay:
    counted = [(row["day"], row["model"], row["cost"]) for row in rows]
    models = dict.fromkeys(row[1] for row in counted)
    series = {model: f"series-{min(place, MAX_SERIES - 1)}" for place, model in enumerate(models)}
    return _by_day(counted, series, last, days, _dollars)


def scores_by_source(rows: Iterable[Mapping[str, Any]]) -> list[SourceScores]:
    """Return the scores of each source, highest mean first."""
    found = [
        SourceScores(
            source=row["source"],
            mean=Score(value=row["mean"], reason=""),
            number=sum(row["bins"]),
            bins=row["bins"],
            plot=histogram(
                row["bins"], [_band(place, len(row["bins"])) for place in range(len(row["bins"]))]
            ),
        )
        for row in rows
    ]
    return sorted(found, key=lambda one: (-(one.mean.value or 0.0), one.source.casefold()))


def _band(place: int, bins: int) -> str:
    return Score(value=(place + 0.5) / bins, reason="").label


def _by_day(
    counted: Iterable[tuple[str, str, float]],
    series: Mapping[str, str],
    last: date,
    days: int,
    shown: Callable[[float], str],
) -> ByDay:
    counts: dict[date, dict[str, float]] = {}
    for day, name, number in counted:
        parts = counts.setdefault(date.fromisoformat(day), {})
        parts[name] = parts.get(name, 0) + number
    # While there is little, the chart begins with it: a month of nothing before it would only be empty.
    since = (last - min(counts, default=last)).days + 1
    number = min(days, max(since, MIN_DAYS))
    return ByDay(
        plot=stacked(counts, series, last, number, shown),
        first=days_until(last, number)[0],
        series=series,
        rows=[(day, [counts[day].get(name, 0) for name in series]) for day in sorted(counts, reverse=True)],
        total=sum(sum(parts.values()) for parts in counts.values()),
    )


def _items(number: float) -> str:
    return ngettext("%(count)s item", "%(count)s items", int(number), count=grouped(number))


def _fetches(number: float) -> str:
    return ngettext("%(count)s fetch", "%(count)s fetches", int(number), count=grouped(number))


def _dollars(number: float) -> str:
    return _("%(cost)s US dollars", cost=f"{number:.4g}")
