"""Filter and sort the pages of a sitemap: pure functions over entries (E2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from inforadar.clock import utc_now
from inforadar.errors import UsageError
from inforadar.model.sitemap import SitemapEntry
from inforadar.patterns import Pattern, UnsafePatternError, compile_pattern
from inforadar.stages.discover.dates.absolute import parse_date

_FILTER_NAMES = frozenset({"include_patterns", "exclude_patterns", "newer_than", "max_age_days"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapFilter:
    """Decides which entries are wanted. Patterns are regular expressions searched for anywhere in the URL: `/blog/`."""

    include: tuple[Pattern, ...] = ()
    """If there are any, one of them must match."""
    exclude: tuple[Pattern, ...] = ()
    newer_than: datetime | None = None
    """Pages without a date pass (ruling 9)."""

    def __call__(self, entry: SitemapEntry) -> bool:
        url = entry.url
        if self.include and not any(pattern.search(url) for pattern in self.include):
            return False
        if any(pattern.search(url) for pattern in self.exclude):
            return False
        date = entry.date
        return self.newer_than is None or date is None or date > self.newer_than


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsafePatterns:
    """Patterns of an earlier version that may take for ever, so only the work pool runs them."""

    include: tuple[str, ...]
    exclude: tuple[str, ...]

    def __str__(self) -> str:
        return ", ".join(map(repr, (*self.include, *self.exclude)))

    def wanted(self, urls: Sequence[str]) -> frozenset[str]:
        """Return the URLs that they let pass."""
        matches = SitemapFilter(
            include=tuple(map(re.compile, self.include)), exclude=tuple(map(re.compile, self.exclude))
        )
        return frozenset(url for url in urls if matches(SitemapEntry(url=url)))


def parse_stored_filter(
    config: Mapping[str, Any], now: datetime
) -> tuple[SitemapFilter, UnsafePatterns | None]:
    """Make the filter of a stored feed, and apart from it the patterns that would be refused today."""
    try:
        return parse_filter(config, now), None
    except UnsafePatternError:
        others = {name: value for name, value in config.items() if not name.endswith("_patterns")}
        include, exclude = (_texts(name, config) for name in ("include_patterns", "exclude_patterns"))
        return parse_filter(others, now), UnsafePatterns(include=include, exclude=exclude)


def parse_filter(config: Mapping[str, Any], now: datetime | None = None) -> SitemapFilter:
    """Make a filter from a feed's options or a flow's configuration.

    Reads `include_patterns`, `exclude_patterns`, `newer_than` (a date) and `max_age_days`; ignores other keys.
    """
    given = config.get("newer_than")
    newer_than = None if given is None else _moment(given)
    if (days := config.get("max_age_days")) is not None:
        oldest = _days_before(now or utc_now(), days)
        newer_than = max(newer_than, oldest) if newer_than else oldest
    return SitemapFilter(
        include=_patterns("include_patterns", config),
        exclude=_patterns("exclude_patterns", config),
        newer_than=newer_than,
    )


def _moment(given: object) -> datetime:
    """A date as a person, TOML or Python gives it, with or without a time; in UTC if it names no zone."""
    match given:
        case datetime():
            moment: datetime | None = given
        case date():
            moment = datetime.combine(given, time())
        case str():
            moment = parse_date(given)
        case _:
            moment = None
    if moment is None:
        raise UsageError(f"newer_than: {str(given)!r} is not a date; write it like 2026-11-15.")
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _days_before(now: datetime, days: object) -> datetime:
    try:
        return now - timedelta(days=float(str(days)))
    except (ValueError, OverflowError):
        raise UsageError(f"max_age_days: {days!r} is not a number of days.") from None


def _patterns(name: str, config: Mapping[str, Any]) -> tuple[Pattern, ...]:
    try:
        return tuple(map(compile_pattern, _texts(name, config)))
    except UsageError as fault:
        raise type(fault)(f"{name}: {fault}") from None


def _texts(name: str, config: Mapping[str, Any]) -> tuple[str, ...]:
    given = config.get(name) or ()
    return (given,) if isinstance(given, str) else tuple(given)


def apply_rss_filters(
    entries: Iterable[SitemapEntry], filter_config: SitemapFilter | Mapping[str, Any] | None = None
) -> list[SitemapEntry]:
    """Keep the wanted entries, in their order."""
    if filter_config is None:
        return list(entries)
    if isinstance(filter_config, Mapping):
        if unknown := sorted(set(filter_config) - _FILTER_NAMES):
            raise UsageError(
                f"There is no filter {unknown[0]!r}; use one of {', '.join(sorted(_FILTER_NAMES))}."
            )
        filter_config = parse_filter(filter_config)
    return [entry for entry in entries if filter_config(entry)]


def sort_entries_by_date(
    entries: Sequence[SitemapEntry], *, max_items: int | None = None
) -> list[SitemapEntry]:
    """Sort newest first and keep at most `max_items`; entries without a date come last, in sitemap order."""
    dated = sorted((entry for entry in entries if entry.date), key=_date, reverse=True)
    undated = (entry for entry in entries if not entry.date)
    return [*dated, *undated][:max_items]


def _date(entry: SitemapEntry) -> datetime:
    date = entry.date
    assert date is not None
    return date
