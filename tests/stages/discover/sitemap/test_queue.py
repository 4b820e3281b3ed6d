"""The order and the limits in which a sitemap's files are read."""

from __future__ import annotations

from datetime import UTC, datetime

from inforadar.model.ids import new_uuid
from inforadar.model.sitemap import SitemapRef
from inforadar.stages.discover.sitemap.queue import (
    MAX_DEPTH,
    MAX_FILES,
    FileVisit,
    SitemapQueue,
    SkippedFile,
    SkipReason,
)

ROOT = "https://a.example/sitemap.xml"


def file(name: str, host: str = "a.example") -> SitemapRef:
    return SitemapRef(f"https://{host}/{name}.xml")


def drain(queue: SitemapQueue) -> list[str]:
    return [visit.url for visit in iter(queue.next, None)]


def root_of(queue: SitemapQueue) -> FileVisit:
    root = queue.next()
    assert root == FileVisit(ROOT)
    return root


def test_files_are_read_breadth_first_and_each_once() -> None:
    queue = SitemapQueue(ROOT, any_host=False)
    root = root_of(queue)
    assert queue.add([file("1"), file("2"), file("1"), SitemapRef(ROOT)], listed_by=root) == []
    first = queue.next()
    assert first is not None
    assert queue.add([file("3"), file("2")], listed_by=first) == []
    assert drain(queue) == [file("2").url, file("3").url]


def test_a_file_keeps_what_its_index_says_of_it() -> None:
    queue, at, index = SitemapQueue(ROOT, any_host=False), datetime(2026, 3, 1, tzinfo=UTC), new_uuid()
    queue.add([SitemapRef(file("1").url, at)], listed_by=root_of(queue), parent_id=index)
    assert queue.next() == FileVisit(file("1").url, 1, at, index)


def test_indexes_that_nest_without_end_are_not_followed() -> None:
    queue = SitemapQueue(ROOT, any_host=False)
    visit: FileVisit | None = queue.next()
    for depth in range(1, MAX_DEPTH + 1):
        assert visit is not None
        assert queue.add([file(str(depth))], listed_by=visit) == []
        visit = queue.next()
    assert visit is not None
    assert queue.add([file("deep")], listed_by=visit) == [SkippedFile(file("deep").url, SkipReason.TOO_DEEP)]
    assert queue.next() is None


def test_a_site_has_a_limited_number_of_files() -> None:
    queue = SitemapQueue(ROOT, any_host=False)
    skipped = queue.add((file(str(number)) for number in range(MAX_FILES + 1)), listed_by=root_of(queue))
    assert [one.reason for one in skipped] == [SkipReason.TOO_MANY] * 2
    assert len(drain(queue)) == MAX_FILES - 1


def test_other_hosts_are_skipped_unless_the_root_leads_there_or_any_host_may_be_asked() -> None:
    elsewhere = file("1", host="b.example")
    queue = SitemapQueue(ROOT, any_host=False)
    root = root_of(queue)
    assert queue.add([elsewhere], listed_by=root) == [SkippedFile(elsewhere.url, SkipReason.OTHER_HOST)]
    queue.add_host("https://b.example/sitemap.xml")
    assert queue.add([elsewhere], listed_by=root) == []
    assert drain(queue) == [elsewhere.url]

    queue = SitemapQueue(ROOT, any_host=True)
    assert queue.add([elsewhere], listed_by=root_of(queue)) == []
    assert queue.is_own("https://c.example/")
