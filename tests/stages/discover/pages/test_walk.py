"""Where a walk stops: tables of dates, and properties over whole sites and crashes.

In all tables the cutoff is day 100 (nothing older is taken) and the window ends at day 130 (nothing older is updated).
A page is written as the days of its items, oldest last: `k150` is known, `n150` new, `-` has no date.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.model.ids import ItemId, UrlHash, new_uuid
from inforadar.model.item import DIFFED_FIELDS, KnownItem, Listed
from inforadar.stages.diff import diff
from inforadar.stages.discover.pages.walk import Depth, PageDecision, StopReason, Walk
from inforadar.urls import url_hash

START = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = tuple(field.name for field in DIFFED_FIELDS)
CUTOFF, WINDOW = 100, 130


def day(number: float) -> datetime:
    return START + timedelta(days=number)


def walk(depth: Depth = Depth.CUTOFF) -> Walk:
    return Walk(cutoff=day(CUTOFF), window_cutoff=day(WINDOW), depth=depth)


def read_pages(table: str) -> tuple[list[list[Listed]], set[UrlHash]]:
    """Make pages and known items from `k150 n149 | k120 -`; a URL is made of page and position."""
    pages: list[list[Listed]] = []
    known: set[UrlHash] = set()
    for number, row in enumerate(table.split("|")):
        page: list[Listed] = []
        for place, word in enumerate(row.split()):
            url = f"https://site.example/{number}-{place}"
            date = None if word == "-" else day(float(word[1:]))
            page.append(Listed(url=url, published_at=date))
            if word.startswith("k"):
                known.add(url_hash(url))
        pages.append(page)
    return pages, known


def run(table: str, depth: Depth = Depth.CUTOFF) -> list[PageDecision]:
    pages, known = read_pages(table)
    one = walk(depth)
    decisions: list[PageDecision] = []
    for number, page in enumerate(pages, start=1):
        decisions.append(one.page(page, known, has_next=number < len(pages)))
        if decisions[-1].stop:
            break
    return decisions


# Seed 0, sections 6 and 7, as tables: the pages, how many of them are requested, and why the walk ends


@pytest.mark.parametrize(
    ("table", "pages", "stop"),
    [
        # 6.2 below the cutoff, after a known item and nothing new: stop at once
        ("k150 k140 k99 | k98", 1, StopReason.CUTOFF),
        ("n150 k140 | k120 n99 | n98", 2, StopReason.CUTOFF),
        ("k150 k140 | k110 k99 n98 | k97", 2, StopReason.CUTOFF),
        # … no known item seen: continue while a page has an item above the cutoff
        ("n150 n140 n99 | n120 n98 | n97 | n96", 3, StopReason.NOTHING_NEWER),
        # … new after known: continue, because there may be gaps
        ("k150 n140 n99 | k120 n98 | k97 | k96", 3, StopReason.NOTHING_NEWER),
        ("k150 | n140 | k120 n99 | k98", 4, StopReason.NOTHING_NEWER),
        # … new before known is not a gap
        ("n150 n149 k140 k99 | k98", 1, StopReason.CUTOFF),
        # the flags persist after the page that set them
        ("k150 | n140 | n139 | k138 k99 | k98", 5, StopReason.NOTHING_NEWER),
        ("k150 | k140 | k99 | k98", 3, StopReason.CUTOFF),
        # an item exactly at the cutoff is inside
        ("k150 | k100 | k99.9 | k98", 3, StopReason.CUTOFF),
        ("n150 | n100 | n99.9 | n98", 3, StopReason.NOTHING_NEWER),
        # 7.2 a page without anything as new as the cutoff
        ("n99 n98 | n97", 1, StopReason.NOTHING_NEWER),
        ("- - | n150", 1, StopReason.NOTHING_NEWER),
        ("n150 | - n99 | n98", 2, StopReason.NOTHING_NEWER),
        # the end of the listing
        ("n150 n140", 1, StopReason.END_OF_LISTING),
        ("n150 | k140 | k130", 3, StopReason.END_OF_LISTING),
        ("n150 | | n140", 2, StopReason.END_OF_LISTING),
        ("", 1, StopReason.END_OF_LISTING),
        # a reason from the page's items wins over the end of the listing
        ("k150 k99", 1, StopReason.CUTOFF),
        ("n99", 1, StopReason.NOTHING_NEWER),
        # with depth cutoff the window stops nothing
        ("k150 | k129 k128 | k120 | k110", 4, StopReason.END_OF_LISTING),
        # dates decide, not positions: a page is sorted newest first
        ("k99 k150 | k98", 1, StopReason.CUTOFF),
        ("n99 n150 | n140", 2, StopReason.END_OF_LISTING),
        ("n99 k150 | k140", 1, StopReason.CUTOFF),
    ],
)
def test_depth_cutoff_ends_where_the_rules_say(table: str, pages: int, stop: StopReason) -> None:
    decisions = run(table)
    assert (len(decisions), decisions[-1].stop) == (pages, stop)


@pytest.mark.parametrize(
    ("table", "pages", "stop"),
    [
        ("k150 k140 | k129 k128 | k127 | k126", 2, StopReason.WINDOW),
        ("k150 k140 | k131 k128 | k127 | k126", 3, StopReason.WINDOW),
        ("k150 | k129 n128 | k127 k126 | k125", 3, StopReason.WINDOW),
        ("k150 | k129 - | k127", 2, StopReason.WINDOW),
        ("k150 | k130 | k129 | k128", 3, StopReason.WINDOW),
        ("n150 n140 | n120 n110 | k99 | k98", 3, StopReason.NOTHING_NEWER),
        ("k129 | k128", 1, StopReason.WINDOW),
        ("k150 | k129 k99 | k98", 2, StopReason.CUTOFF),
        ("k150 | - - | k129", 2, StopReason.NOTHING_NEWER),
        ("k129 | ", 1, StopReason.WINDOW),
        ("k150 | k140", 2, StopReason.END_OF_LISTING),
    ],
)
def test_depth_window_also_ends_after_a_page_of_old_known_items(
    table: str, pages: int, stop: StopReason
) -> None:
    decisions = run(table, Depth.WINDOW)
    assert (len(decisions), decisions[-1].stop) == (pages, stop)


def places(items: tuple[Listed, ...]) -> list[str]:
    return [item.url.removeprefix("https://site.example/") for item in items]


def test_a_page_is_sorted_into_what_is_to_be_done_newest_first() -> None:
    (decision,) = run("n110 k140 - k120 n99 n150 k98")
    assert places(decision.process) == ["0-5", "0-1", "0-0"]
    assert decision.new == 2
    assert places(decision.outside_window) == ["0-3"]
    assert places(decision.skipped_without_date) == ["0-2"]
    assert places(decision.below_cutoff) == ["0-4", "0-6"]


def test_a_known_item_older_than_the_window_is_not_updated_but_a_new_one_is_taken() -> None:
    (decision,) = run("k129.9 n129.8 k130")
    assert places(decision.process) == ["0-2", "0-1"]
    assert places(decision.outside_window) == ["0-0"]


def test_an_item_without_a_date_is_skipped_known_or_not_and_the_rest_goes_on() -> None:
    pages, known = read_pages("- k150 - n140")
    known.add(url_hash(pages[0][0].url))
    decision = walk().page(pages[0], known)
    assert places(decision.skipped_without_date) == ["0-0", "0-2"]
    assert places(decision.process) == ["0-1", "0-3"]
    assert decision.stop is None


def test_a_page_that_repeats_the_one_before_it_ends_the_walk_and_gives_nothing() -> None:
    pages, known = read_pages("n150 - n149")
    one = walk()
    assert one.page(pages[0], known).stop is None
    assert one.page(reversed(pages[0]), known) == PageDecision(stop=StopReason.REPEATED)


def test_a_page_that_shares_some_urls_with_the_one_before_it_goes_on() -> None:
    pages, known = read_pages("n150 n149 n148")
    one = walk()
    one.page(pages[0][:2], known)
    decision = one.page(pages[0][1:], known)
    assert places(decision.process) == ["0-2"]
    assert decision.stop is None


def test_an_item_that_moved_to_the_next_page_counts_as_known() -> None:
    new, slid, other, old = (
        Listed(url=f"https://site.example/{n}", published_at=day(n)) for n in (150, 149, 148, 99)
    )
    one = walk()
    one.page([new, slid], set())
    decision = one.page([slid, old], set())
    assert decision.stop is StopReason.CUTOFF
    assert decision.process == ()
    again = walk()
    again.page([new, slid], set())
    assert again.page([slid, other, old], set()).stop is None


def test_a_url_that_a_page_lists_twice_is_taken_once_as_the_first_says() -> None:
    first = Listed(url="https://site.example/a", published_at=day(150), title="first")
    decision = walk().page([first, replace(first, title="second")], set())
    assert decision.process == (first,)
    assert decision.new == 1


def test_an_ended_walk_takes_no_further_page() -> None:
    one = walk()
    one.page([], set())
    with pytest.raises(ValueError, match="has ended"):
        one.page([], set())


def test_nothing_is_remembered_from_one_walk_to_the_next() -> None:
    table = "n150 k140 | k120 n99 | n98"
    assert run(table) == run(table)


def test_there_is_no_page_limit() -> None:
    one = walk()
    for number in range(20_000):
        item = Listed(url=f"https://site.example/{number}", published_at=day(200 - number / 1000))
        assert one.page([item], set()).stop is None


# Compared with the seed's pseudocode, and over whole sites


@dataclass(slots=True)
class Database:
    """The items that runs have saved, by hash, with their fields."""

    items: dict[UrlHash, KnownItem] = field(default_factory=dict)

    def save(self, listed: Sequence[Listed]) -> None:
        found = diff(listed, self.items.values())
        for new in found.added:
            assert new.listed.published_at is not None
            fields = {name: getattr(new.listed, name) for name in NAMES}
            fields["published_at"] = new.listed.published_at.isoformat()
            self.items[new.hash] = KnownItem(
                id=ItemId(new_uuid()),
                hash=new.hash,
                url=new.url,
                published_at=new.listed.published_at,
                fields=fields,
            )
        for change in found.changed:
            item = self.items[url_hash(change.url)]
            newer = {name: value for name, (_, value) in change.fields.items()}
            self.items[item.hash] = replace(item, fields={**item.fields, **newer})

    def content(self) -> dict[UrlHash, object]:
        return {key: dict(item.fields) for key, item in self.items.items()}


def collect(
    pages: Sequence[Sequence[Listed]],
    database: Database,
    depth: Depth = Depth.CUTOFF,
    *,
    may_continue: Callable[[], bool] = lambda: True,
) -> StopReason | None:
    """A run that saves item by item and can be killed between any two steps; None if it was killed."""
    one = walk(depth)
    for number, page in enumerate(pages, start=1):
        if not may_continue():
            return None
        decision = one.page(page, database.items, has_next=number < len(pages))
        for item in decision.process:
            if not may_continue():
                return None
            database.save([item])
        if decision.stop:
            return decision.stop
    return StopReason.END_OF_LISTING


def seed_algorithm(pages: Sequence[Sequence[Listed]], known: set[str]) -> tuple[set[str], int]:
    """Section 11 of seed 0, transcribed; returns the URLs it inserts and the number of pages it requests."""
    seen_existing = False
    found_new_inside_window = False
    database, added, asked = set(known), set[str](), 0
    for page in pages:
        asked += 1
        dated = sorted(
            (item for item in page if item.published_at),
            key=lambda item: item.published_at or START,
            reverse=True,
        )
        for item in dated:
            assert item.published_at is not None
            if item.published_at < day(CUTOFF):
                if seen_existing and not found_new_inside_window:
                    return added, asked
                continue
            if item.url not in database:
                database.add(item.url)
                added.add(item.url)
                if seen_existing:
                    found_new_inside_window = True
                continue
            seen_existing = True
        if not any(item.published_at >= day(CUTOFF) for item in dated if item.published_at):
            return added, asked
    return added, asked


COUNTERS = st.one_of(st.none(), st.integers(0, 3))


@st.composite
def listings(draw: st.DrawFn, *, is_in_order: bool) -> list[list[Listed]]:
    """Pages of a site; `is_in_order` sorts all items newest first, as news listings do."""
    days = draw(st.lists(st.integers(85, 145), min_size=1, max_size=24))
    if is_in_order:
        days.sort(reverse=True)
    items = [
        Listed(
            url=f"https://site.example/{number}",
            published_at=day(value),
            title=draw(st.sampled_from([None, "", "a", "b"])),
            views=draw(COUNTERS),
            comments=draw(COUNTERS),
            tags=draw(st.sampled_from([(), ("x",), ("x", "y")])),
        )
        for number, value in enumerate(days)
    ]
    if draw(st.booleans()):
        place = draw(st.integers(0, len(items)))
        items.insert(place, Listed(url="https://site.example/undated", title="no date"))
    return in_pages(items, draw(st.integers(1, 5)))


def in_pages(items: list[Listed], size: int) -> list[list[Listed]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


@given(listings(is_in_order=False), st.data())
def test_the_walk_takes_what_the_seeds_pseudocode_takes(
    pages: list[list[Listed]], data: st.DataObject
) -> None:
    urls = [item.url for page in pages for item in page if item.published_at]
    known = set(data.draw(st.lists(st.sampled_from(urls), unique=True))) if urls else set()
    hashes = {url_hash(url) for url in known}
    one, taken, asked = walk(), set[str](), 0
    for number, page in enumerate(pages, start=1):
        decision = one.page(page, hashes, has_next=number < len(pages))
        asked += 1
        taken |= {item.url for item in decision.process} - known
        if decision.stop:
            break
    assert (taken, asked) == seed_algorithm(pages, known)


@given(listings(is_in_order=True), st.sampled_from(Depth))
def test_a_second_run_changes_nothing(pages: list[list[Listed]], depth: Depth) -> None:
    database = Database()
    collect(pages, database, depth)
    before = database.content()
    collect(pages, database, depth)
    assert database.content() == before


@given(listings(is_in_order=True))
def test_a_first_run_takes_every_dated_item_down_to_the_cutoff(pages: list[list[Listed]]) -> None:
    database = Database()
    collect(pages, database)
    wanted = {
        url_hash(item.url)
        for page in pages
        for item in page
        if item.published_at and item.published_at >= day(CUTOFF)
    }
    if not any(page and all(item.published_at is None for item in page) for page in pages):
        assert set(database.items) == wanted


def crash_after(steps: int) -> Callable[[], bool]:
    left = iter(range(steps))
    return lambda: next(left, None) is not None


@given(listings(is_in_order=True), st.lists(st.integers(0, 40), max_size=6))
def test_any_crashes_end_in_the_same_database_as_one_run(
    pages: list[list[Listed]], crashes: list[int]
) -> None:
    undisturbed, crashed = Database(), Database()
    collect(pages, undisturbed)
    for steps in crashes:
        collect(pages, crashed, may_continue=crash_after(steps))
    collect(pages, crashed)
    assert crashed.content() == undisturbed.content()


@given(listings(is_in_order=True), st.integers(0, 2**32), st.lists(st.integers(0, 40), max_size=4))
def test_crashes_while_the_site_publishes_lose_and_double_nothing(
    pages: list[list[Listed]], seed: int, crashes: list[int]
) -> None:
    """Between two runs a site adds new items on top, so everything moves down by a position or a page."""
    chance = random.Random(seed)
    items = [item for page in pages for item in page]
    database = Database()
    for number, steps in enumerate(crashes):
        fresh = Listed(url=f"https://site.example/fresh-{number}", published_at=day(150 + number))
        items = [fresh, *items] if chance.random() < 0.7 else items
        collect(in_pages(items, 3), database, may_continue=crash_after(steps))
    collect(in_pages(items, 3), database)
    wanted = {url_hash(i.url) for i in items if i.published_at and i.published_at >= day(CUTOFF)}
    assert set(database.items) == wanted


@given(listings(is_in_order=True), st.lists(st.integers(0, 40), max_size=4))
def test_after_crashes_depth_window_has_all_of_the_window_and_depth_cutoff_all(
    pages: list[list[Listed]], crashes: list[int]
) -> None:
    database = Database()
    for steps in crashes:
        collect(pages, database, Depth.WINDOW, may_continue=crash_after(steps))
    collect(pages, database, Depth.WINDOW)
    dated = {url_hash(item.url): item.published_at for page in pages for item in page if item.published_at}
    if not any(all(item.published_at is None for item in page) for page in pages):
        assert {key for key, date in dated.items() if date >= day(WINDOW)} <= set(database.items)
        collect(pages, database)
        assert set(database.items) == {key for key, date in dated.items() if date >= day(CUTOFF)}


@given(listings(is_in_order=True), st.data())
def test_a_value_never_becomes_none_and_zero_replaces_it(
    pages: list[list[Listed]], data: st.DataObject
) -> None:
    database = Database()
    collect(pages, database)
    before = dict(database.items)
    later = [
        [
            replace(item, views=data.draw(COUNTERS), title=data.draw(st.sampled_from([None, "", "c"])))
            for item in page
        ]
        for page in pages
    ]
    collect(later, database)
    shown = {url_hash(item.url): item for page in later for item in page}
    for key, old in before.items():
        new, seen = database.items[key], shown[key]
        is_updated = datetime.fromisoformat(str(old.fields["published_at"])) >= day(WINDOW)
        for name in NAMES:
            value = getattr(seen, name)
            expected = value if is_updated and value not in (None, "", ()) else old.fields[name]
            assert new.fields[name] == expected
