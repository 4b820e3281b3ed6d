"""The walk over the pages of a paged site: decides what to do with each page and where to stop. Pure.

    page ──► Walk.page ──► process               new, or known and inside the window: compare and save
                           outside_window        known and older than the window: leave unchanged
                           below_cutoff          too old to be taken
                           skipped_without_date  log
                           stop                  why this was the last page, or None

A walk ends only for one of the `StopReason`s; in particular, there is no page limit. It depends on dates and on what is
stored, never on flags from an earlier run, so the next walk makes up for one that was interrupted anywhere: missing
items show up as new after known ones, and then the walk continues down to the cutoff.

That holds for depth `cutoff`. Depth `window` assumes that nothing is missing behind a page of old, known items, so the
scheduler uses it only after a walk of the feed has ended.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from inforadar.model.ids import UrlHash
from inforadar.model.item import Listed
from inforadar.urls import url_hash


class Depth(StrEnum):
    """How far a walk goes."""

    CUTOFF = "cutoff"
    """Down to `cutoff_date`: for walks that a person asked for."""
    WINDOW = "window"
    """Also stop at a page with only known items older than the window: for polling."""


MAX_PAGES_ELSEWHERE = 3
"""How many pages in a row may have only items on other hosts: behind a listing's end, a site may still show some."""


class StopReason(StrEnum):
    """Why a walk ended."""

    CUTOFF = "cutoff"
    """An item is older than the cutoff, after known items with nothing new behind them."""
    NOTHING_NEWER = "nothing_newer"
    """No item on the page is as new as the cutoff."""
    END_OF_LISTING = "end_of_listing"
    """The page is empty or has no next page, or several pages have only items on other hosts."""
    REPEATED = "repeated"
    """The page has the same URLs as the one before: some sites answer page 9999 with their last page."""
    WINDOW = "window"
    """With depth `window`: everything on the page is known and older than the window."""
    PAGE_ERROR = "page_error"
    """A page could not be fetched or read. Set by the caller; `Walk` never returns it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDecision:
    """Decisions about the items of one page; each tuple is sorted newest first."""

    process: tuple[Listed, ...] = ()
    new: int = 0
    """How many items in `process` are new."""
    outside_window: tuple[Listed, ...] = ()
    below_cutoff: tuple[Listed, ...] = ()
    skipped_without_date: tuple[Listed, ...] = ()
    stop: StopReason | None = None


class Walk:
    """One pass over a feed's pages, starting at the first. After a stop it accepts no further page."""

    __slots__ = (
        "_cutoff",
        "_found_new_inside_window",
        "_has_ended",
        "_pages_elsewhere",
        "_previous_urls",
        "_seen_existing",
        "_taken",
        "_window_cutoff",
        "depth",
    )

    def __init__(self, *, cutoff: datetime, window_cutoff: datetime, depth: Depth = Depth.CUTOFF) -> None:
        self._cutoff = cutoff
        self._window_cutoff = window_cutoff
        self.depth = depth
        self._seen_existing = False
        self._found_new_inside_window = False
        self._pages_elsewhere = 0
        self._previous_urls: frozenset[str] = frozenset()
        self._taken: set[UrlHash] = set()
        """Items taken in this walk: they count as known, whether or not the caller has saved them yet."""
        self._has_ended = False

    def page(
        self,
        items: Iterable[Listed],
        known: Container[UrlHash],
        *,
        has_next: bool = True,
        elsewhere: Sequence[Listed] = (),
    ) -> PageDecision:
        """Decide about the next page; `known` holds the feed's stored items, at least those on this page.

        `elsewhere` are the items of a page that has none of its own.
        """
        if self._has_ended:
            raise ValueError("This walk has ended; start a new one at the first page.")
        listed: dict[str, Listed] = {}
        for item in items:
            listed.setdefault(item.url, item)
        if elsewhere and not listed:
            decision = PageDecision(stop=self._stop_elsewhere(elsewhere, has_next=has_next))
        else:
            decision = self._decide(tuple(listed.values()), known, has_next=has_next)
            self._pages_elsewhere = 0
        self._has_ended = decision.stop is not None
        return decision

    def _stop_elsewhere(self, items: Sequence[Listed], *, has_next: bool) -> StopReason | None:
        self._pages_elsewhere += 1
        if not any(item.published_at and item.published_at >= self._cutoff for item in items):
            return StopReason.NOTHING_NEWER
        is_end = not has_next or self._pages_elsewhere >= MAX_PAGES_ELSEWHERE
        return StopReason.END_OF_LISTING if is_end else None

    def _decide(
        self, listed: tuple[Listed, ...], known: Container[UrlHash], *, has_next: bool
    ) -> PageDecision:
        if not listed:
            return PageDecision(stop=StopReason.END_OF_LISTING)
        urls = frozenset(item.url for item in listed)
        if urls == self._previous_urls:
            return PageDecision(stop=StopReason.REPEATED)
        self._previous_urls = urls

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
            exists = key in self._taken or key in known
            is_all_known &= exists
            if date < self._cutoff:
                below_cutoff.append(item)
                if self._seen_existing and not self._found_new_inside_window:
                    stop = StopReason.CUTOFF
            elif not exists:
                self._taken.add(key)
                process.append(item)
                new += 1
                self._found_new_inside_window |= self._seen_existing
            else:
                self._seen_existing = True
                if key in self._taken:
                    continue  # it moved here from the page before, because something was published meanwhile
                self._taken.add(key)
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
