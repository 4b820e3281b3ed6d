"""Which item an entry is (ruling 1): documents of one feed, one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from inforadar.model.feed_warning import FeedWarning, left_out
from inforadar.model.ids import ItemId, new_uuid
from inforadar.model.item import DIFFED_FIELDS, Diff, KnownItem, Listed
from inforadar.stages.diff import diff
from inforadar.stages.discover.feed.parse import parse_feed
from inforadar.urls import url_hash

FEED = "https://example.org/feed.xml"
SITE = "https://example.org/"
LOG = "https://example.org/changelog"


def entry(
    link: str = "",
    guid: str = "",
    title: str = "",
    day: int = 0,
    *,
    permalink: str = "false",
    extra: str = "",
) -> str:
    parts = [f"<link>{link}</link>"] if link else []
    parts += [f"<guid isPermaLink='{permalink}'>{guid}</guid>"] if guid else []
    parts += [f"<title>{title}</title>"] if title else []
    parts += [f"<pubDate>{day:02} Nov 2026 10:00:00 GMT</pubDate>"] if day else []
    return f"<item>{''.join(parts)}{extra}</item>"


class Reader:
    """What is stored of one feed, as the database would have it."""

    def __init__(self) -> None:
        self.items: dict[ItemId, KnownItem] = {}
        self.warnings: tuple[FeedWarning, ...] = ()

    def read(self, *entries: str) -> Diff:
        document = f"<rss version='2.0'><channel><link>{SITE}</link>{''.join(entries)}</channel></rss>"
        listing = parse_feed(document.encode(), FEED)
        self.warnings = listing.warnings
        return self.save(listing.items)

    def save(self, listed: Iterable[Listed]) -> Diff:
        found = diff(list(listed), self.items.values())
        for new in found.added:
            item = known(new.url, new.listed)
            self.items[item.id] = item
        for change in found.changed:
            item = self.items[change.id]
            fields = item.fields | {name: new for name, (_, new) in change.fields.items()}  # type: ignore[operator]
            self.items[change.id] = replace(item, fields=fields)
        for one in found.upkeep:
            columns = {name: value for name, value in one.columns.items() if name in {"link", "guid"}}
            self.items[one.id] = replace(self.items[one.id], **columns)
        return found

    def forget(self) -> None:
        """What retention leaves."""
        self.items = {
            item.id: KnownItem(
                id=item.id,
                hash=item.hash,
                url=None,
                guid=item.guid,
                published_at=item.published_at,
                fields={},
                forgotten=True,
            )
            for item in self.items.values()
        }

    @property
    def urls(self) -> list[str]:
        return sorted(str(item.url) for item in self.items.values())


def known(url: str, listed: Listed) -> KnownItem:
    return KnownItem(
        id=ItemId(new_uuid()),
        hash=url_hash(url),
        url=url,
        guid=listed.guid,
        link=listed.link if listed.link != url else None,
        published_at=listed.published_at or datetime(2026, 11, 16, tzinfo=UTC),
        updated_at=listed.updated_at,
        fields={field.name: getattr(listed, field.name) for field in DIFFED_FIELDS},
    )


def releases(*numbers: int) -> list[str]:
    return [entry(f"{LOG}#v{number}", title=f"Release {number}", day=number) for number in numbers]


def test_releases_on_one_page_are_items_of_their_own() -> None:
    feed = Reader()
    assert len(feed.read(*releases(1, 2, 3)).added) == 3
    grown = feed.read(*releases(1, 2, 3, 4, 5))
    assert [new.url for new in grown.added] == [f"{LOG}#v4", f"{LOG}#v5"]
    assert grown.changed == ()
    assert not any(new.has_article for new in grown.added)


def test_comments_that_link_to_one_page_are_told_apart_by_their_ids() -> None:
    feed = Reader()
    page = "https://example.org/post"
    assert len(feed.read(*(entry(page, f"c{n}", "Re: Post", n) for n in (1, 2, 3))).added) == 3
    later = feed.read(*(entry(page, f"c{n}", "Re: Post", n) for n in (3, 2, 4)))
    assert (len(later.added), later.changed) == (1, ())
    assert all(url.startswith(f"{page}#") for url in feed.urls)


def test_an_address_that_moved_makes_no_new_item_and_is_what_people_follow() -> None:
    feed = Reader()
    feed.read(entry("https://example.org/a", "id-1", "A", 1))
    moved = feed.read(entry("https://example.org/b", "id-1", "A", 1))
    assert (moved.added, moved.changed) == ((), ())
    assert [one.columns for one in moved.upkeep] == [{"link": "https://example.org/b"}]
    assert feed.read(entry("https://example.org/b", "id-1", "A", 1)) == Diff()
    back = feed.read(entry("https://example.org/a", "id-1", "A", 1))
    assert [one.columns for one in back.upkeep] == [{"link": None}]


def test_a_permalink_identifies_its_entry_when_the_link_moves() -> None:
    feed = Reader()
    feed.read(entry("https://example.org/a", "https://example.org/a", "A", 1, permalink="true"))
    moved = feed.read(entry("https://proxy.example.net/a", "https://example.org/a", "A", 1, permalink="true"))
    assert moved.added == ()
    assert feed.urls == ["https://example.org/a"]


def test_an_id_that_is_used_again_for_something_else_is_a_new_item() -> None:
    feed = Reader()
    feed.read(entry("https://example.org/a", "id-1", "A", 1))
    assert [new.url for new in feed.read(entry("https://example.org/c", "id-1", "C", 3)).added] == [
        "https://example.org/c"
    ]


def test_ids_that_change_with_every_answer_make_no_duplicates() -> None:
    feed = Reader()
    feed.read(entry("https://example.org/a", "r-1", "A", 1), entry("https://example.org/b", "r-2", "B", 2))
    again = feed.read(
        entry("https://example.org/a", "r-8", "A", 1), entry("https://example.org/b", "r-9", "B2", 2)
    )
    assert again.added == ()
    assert [change.fields for change in again.changed] == [{"title": ("B", "B2")}]


def test_an_id_that_the_document_repeats_says_nothing() -> None:
    feed = Reader()
    first = [entry(f"https://example.org/{n}", "same", f"T{n}", n) for n in (1, 2)]
    assert len(feed.read(*first).added) == 2
    assert len(feed.read(*first, entry("https://example.org/3", "same", "T3", 3)).added) == 1


def test_an_entry_that_is_listed_twice_is_one_item_and_the_listing_says_so() -> None:
    feed = Reader()
    same = entry("https://example.org/a", "id-1", "A", 1)
    (new,) = feed.read(same, same).added
    assert (new.url, new.has_article) == ("https://example.org/a", True)
    assert feed.warnings == left_out(1, "the same as another entry")


def test_a_feed_with_one_entry_and_no_ids_updates_its_item() -> None:
    feed = Reader()
    feed.read(entry(LOG, title="Status: fine", day=1))
    found = feed.read(entry(LOG, title="Status: down", day=2))
    assert (found.added, len(found.changed)) == ((), 1)


def test_a_second_entry_for_a_known_page_keeps_its_fragment() -> None:
    feed = Reader()
    feed.read(entry(f"{LOG}#v1", title="Release 1", day=1))
    assert feed.urls == [LOG]
    found = feed.read(*releases(1, 2))
    assert [new.url for new in found.added] == [f"{LOG}#v2"]
    assert found.changed == ()


def test_entries_without_a_link_are_kept_under_the_site() -> None:
    feed = Reader()
    found = feed.read(entry(guid="x1", title="A", day=1), entry(guid="x2", title="B", day=2), entry(day=3))
    assert [new.url.partition("#")[0] for new in found.added] == [SITE, SITE]
    assert not any(new.has_article for new in found.added)
    assert feed.warnings == left_out(1, "empty"), "nothing is lost with it"
    assert feed.read(entry(guid="x2", title="B", day=2), entry(guid="x1", title="A", day=1)) == Diff()


def test_the_only_entry_may_have_a_url_for_an_id_and_no_link() -> None:
    (new,) = Reader().read(entry(guid="https://example.org/only", title="A")).added
    assert (new.url, new.has_article) == ("https://example.org/only", True)


def test_an_item_that_was_known_by_its_file_is_still_known() -> None:
    file = "https://cdn.example.org/1.mp3"
    extra = f"<enclosure url='{file}' type='audio/mpeg'/>"
    before = known(file, Listed(url=file, title="Episode 1"))
    feed = Reader()
    feed.items[before.id] = before
    found = feed.read(entry(SITE, title="Episode 1", extra=extra), entry(SITE, title="Episode 2", day=2))
    assert [new.listed.title for new in found.added] == ["Episode 2"]


def test_an_entry_that_was_merged_with_others_is_still_its_item() -> None:
    before = known(
        LOG, Listed(url=LOG, title="Release 3", published_at=datetime(2026, 11, 3, 10, tzinfo=UTC))
    )
    feed = Reader()
    feed.items[before.id] = before
    found = feed.read(*releases(5, 4, 3))
    assert [new.url for new in found.added] == [f"{LOG}#v5", f"{LOG}#v4"]
    assert found.changed == ()


def test_what_retention_deleted_does_not_come_back_by_any_way() -> None:
    feed = Reader()
    document = [
        *releases(1, 2),
        entry("https://example.org/post", "c1", "Re", 1),
        entry("https://example.org/post", "c2", "Re", 2),
        entry("https://example.org/a", "id-1", "A", 1),
        entry(guid="x1", title="No link", day=1),
    ]
    assert len(feed.read(*document).added) == 6
    feed.forget()
    moved = [one.replace("https://example.org/a<", "https://example.org/moved<") for one in document]
    assert feed.read(*moved) == Diff()


entries = st.lists(
    st.builds(
        entry,
        link=st.sampled_from(
            ["", "https://example.org/p", "https://example.org/p#1", "https://example.org/q"]
        ),
        guid=st.sampled_from(["", "1", "2", "https://example.org/q"]),
        title=st.sampled_from(["", "A", "Б"]),
        day=st.integers(0, 2),
    ),
    max_size=6,
)


@given(entries, entries)
def test_a_document_that_is_read_again_adds_nothing_and_urls_stay_unique(
    first: list[str], second: list[str]
) -> None:
    feed = Reader()
    feed.read(*first)
    feed.read(*second)
    assert len(set(feed.urls)) == len(feed.urls)
    assert feed.read(*second).added == ()
