"""The walk's stop rule: page after page of a paged site, and where that ends. Pure.

    page ──► Walk.page ──► process            new, or known and inside the window: to be compared and saved
                           outside_window     known and older than the window: left as they are
                           below_cutoff       too old to be taken at all
                           skipped_without_date   to be logged
                           stop               why this was the last page, if it was

A walk ends for one of the `StopReason`s and for no other; above all, there is no limit of pages. It rests on
dates and on what is stored, never on flags kept from another run, so a walk that was cut short anywhere is made
good by the next one: what is missing shows up as new after known items, and then the walk goes on down to the cutoff.

That holds for depth `cutoff`. Depth `window` trusts a page of old, known items to have nothing missing behind
it; so whoever schedules walks gives a feed depth `window` only after a walk of it has ended.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from inforadar.model.ids import UrlHash
from inforadar.model.item import Listed
from inforadar.urls import url_hash


class Depth(StrEnum):
    CUTOFF = "cutoff"
    """Down to `cutoff_date`, by the rules alone: what a person asked for."""
    WINDOW = "window"
    """… and no further than a page of nothing but known items from before the window: for polling."""


class StopReason(StrEnum):
    CUTOFF = "cutoff"
    """An item below the cutoff, after known items with nothing new behind them."""
    NOTHING_NEWER = "nothing_newer"
    """A page without any item as new as the cutoff."""
    END_OF_LISTING = "end_of_listing"
    """An empty page, or one that names no next."""
    REPEATED = "repeated"
    """The URLs of the page before it once more: some sites answer page 9999 with their last."""
    WINDOW = "window"
    """With depth `window`: all of the page is known and older than the window."""
    PAGE_ERROR = "page_error"
    """A page that could not be had or read. The walk is not asked then; whoever drives it ends it so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDecision:
    """What is to be done about one page; each tuple newest first."""

    process: tuple[Listed, ...] = ()
    new: int = 0
    """How many of `process` were not known."""
    outside_window: tuple[Listed, ...] = ()
    below_cutoff: tuple[Listed, ...] = ()
    skipped_without_date: tuple[Listed, ...] = ()
    stop: StopReason | None = None


class Walk:
    """One pass over one feed's pages, from its first page on. After a stop it takes no further page."""

    __slots__ = (
        "_cutoff",
        "_found_new_inside_window",
        "_has_ended",
        "_met",
        "_previous",
        "_seen_existing",
        "_window_cutoff",
        "depth",
    )

    def __init__(self, *, cutoff: datetime, window_cutoff: datetime, depth: Depth = Depth.CUTOFF) -> None:
        self._cutoff = cutoff
        self._window_cutoff = window_cutoff
        self.depth = depth
        self._seen_existing = False
        self._found_new_inside_window = False
        self._previous: frozenset[str] = frozenset()
        self._met: set[UrlHash] = set()
        """Taken in this walk: known from then on, whether or not the caller has saved them by now."""
        self._has_ended = False

    def page(
        self, items: Iterable[Listed], known: Container[UrlHash], *, has_next: bool = True
    ) -> PageDecision:
        """What to do about the next page; `known` are the feed's stored items, at least those of this page."""
        if self._has_ended:
            raise ValueError("This walk has ended; a new one begins at the first page.")
        listed: dict[str, Listed] = {}
        for item in items:
            listed.setdefault(item.url, item)
        decision = self._decide(tuple(listed.values()), known, has_next=has_next)
        self._has_ended = decision.stop is not None
        return decision

    def _decide(
        self, listed: tuple[Listed, ...], known: Container[UrlHash], *, has_next: bool
    ) -> PageDecision:
        if not listed:
            return PageDecision(stop=StopReason.END_OF_LISTING)
        urls = frozenset(item.url for item in listed)
        if urls == self._previous:
            return PageDecision(stop=StopReason.REPEATED)
        self._previous = urls

        dated = [(item.published_at, item) for item in listed if item.published_at is not None]
        dated.sort(key=lambda pair: pair[0], reverse=True)
        process: list[Listed] = []
        outside_window: list[Listed] = []
        below_cutoff: list[Listed] = []
        new = 0
        is_all_known = True
        stop: StopReason | None = None
        for date, item in dated:
            key = url_hash(item.url)
            exists = key in self._met or key in known
            is_all_known &= exists
            if date < self._cutoff:
                below_cutoff.append(item)
                if self._seen_existing and not self._found_new_inside_window:
                    stop = StopReason.CUTOFF
            elif not exists:
                self._met.add(key)
                process.append(item)
                new += 1
                self._found_new_inside_window |= self._seen_existing
            else:
                self._seen_existing = True
                if key in self._met:
                    continue  # it slid here from the page before, because something was published meanwhile
                self._met.add(key)
                (outside_window if date < self._window_cutoff else process).append(item)

        if stop is None:
            is_outside = is_all_known and bool(dated) and dated[0][0] < self._window_cutoff
            if len(below_cutoff) == len(dated):
                stop = StopReason.NOTHING_NEWER
            elif self.depth is Depth.WINDOW and is_outside:
                stop = StopReason.WINDOW
            elif not has_next:
                stop = StopReason.END_OF_LISTING
        return PageDecision(
            process=tuple(process),
            new=new,
            outside_window=tuple(outside_window),
            below_cutoff=tuple(below_cutoff),
            skipped_without_date=tuple(item for item in listed if item.published_at is None),
            stop=stop,
        )
