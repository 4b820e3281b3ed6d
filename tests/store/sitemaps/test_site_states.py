"""The state of sitemaps: what is new, what changed, what is forgotten; on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from inforadar.model.sitemap import SitemapEntry, SiteState, UrlState
from inforadar.store.database import Database
from inforadar.store.sitemaps.prune import prune_urls
from inforadar.store.sitemaps.queries import load_open_urls, load_site
from inforadar.store.sitemaps.record import Found, mark_urls, note_left, record_entries, save_site
from tests.store.making import count_urls

T0 = datetime(2026, 11, 15, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ONE, OTHER = UUID(int=1), UUID(int=2)


def url(name: str) -> str:
    return f"https://news.example/{name}"


def listed(*names: str, lastmod: datetime | None = None) -> list[SitemapEntry]:
    return [SitemapEntry(url(name), lastmod) for name in names]


async def record(database: Database, entries: list[SitemapEntry], at: datetime, **given) -> list[Found]:
    await database.write(save_site, "site", at=at)
    return await database.write(record_entries, "site", entries, at=at, **given)


async def test_a_site_that_is_not_known_has_no_last_run(database: Database) -> None:
    assert await database.read(load_site, "новости") == SiteState(site_name="новости")
    await database.write(save_site, "новости", at=T0, sitemap_url="https://news.example/s.xml", last_run=T0)
    await database.write(save_site, "новости", at=T0 + HOUR)
    assert await database.read(load_site, "новости") == SiteState(
        site_name="новости", sitemap_url="https://news.example/s.xml", last_run=T0
    )


async def test_new_pending_and_failed_urls_are_found_and_processed_ones_are_not(database: Database) -> None:
    found = await record(database, listed("a", "b", "c", "a"), T0)
    assert found == [Found(url=url(name), before=None) for name in "abc"]
    await database.write(mark_urls, "site", [url("a")], UrlState.PROCESSED)
    await database.write(mark_urls, "site", [url("c"), url("unknown")], UrlState.FAILED)
    found = await record(database, listed("a", "b", "c", "новое"), T0 + HOUR)
    assert found == [
        Found(url=url("b"), before=UrlState.PENDING),
        Found(url=url("c"), before=UrlState.FAILED),
        Found(url=url("новое"), before=None),
    ]
    assert await count_urls(database, "site") == {
        UrlState.PENDING: 2,
        UrlState.PROCESSED: 1,
        UrlState.FAILED: 1,
    }
    assert [one.url for one in await database.read(load_open_urls, "site", retry_failed=False)] == [
        url("новое"),
        url("b"),
    ]


async def test_a_lastmod_that_advances_makes_a_url_pending_once(database: Database) -> None:
    await record(database, listed("a", lastmod=T0 - DAY), T0, state=UrlState.PROCESSED)
    for lastmod, expected in [
        (T0 - DAY, []),
        (T0 - 2 * DAY, []),
        (None, []),
        (T0 - HOUR, [Found(url=url("a"), before=UrlState.PROCESSED, is_modified=True)]),
        (T0 - HOUR, [Found(url=url("a"), before=UrlState.PENDING)]),
    ]:
        assert await record(database, listed("a", lastmod=lastmod), T0) == expected
    await database.write(mark_urls, "site", [url("a")], UrlState.PROCESSED)
    assert await record(database, listed("a", lastmod=T0 - DAY), T0 + HOUR) == []
    assert await record(database, listed("a", lastmod=T0 - HOUR), T0 + HOUR) == []


async def test_a_first_lastmod_is_noted_but_is_no_change_and_one_from_the_future_is_none(
    database: Database,
) -> None:
    await record(database, listed("a"), T0, state=UrlState.PROCESSED)
    assert await record(database, listed("a", lastmod=T0 + 400 * DAY), T0) == []
    assert await record(database, listed("a", lastmod=T0 - HOUR), T0) == []
    assert len(await record(database, listed("a", lastmod=T0), T0)) == 1


async def test_what_a_file_no_longer_lists_has_left_unless_another_lists_it(database: Database) -> None:
    await record(database, listed("a", "b", "c"), T0, file_id=ONE)
    await record(database, listed("c", "d"), T0, file_id=OTHER)
    later = T0 + HOUR
    await record(database, listed("a"), later, file_id=ONE)
    await database.write(note_left, "site", later, file_id=ONE)
    still = [one.url for one in await database.read(load_open_urls, "site")]
    assert sorted(still) == [url("a"), url("c"), url("d")]
    await database.write(note_left, "site", later, file_id=None)
    still = [one.url for one in await database.read(load_open_urls, "site")]
    assert sorted(still) == [url("a"), url("d")]


async def test_a_url_that_comes_back_before_it_was_forgotten_is_not_new(database: Database) -> None:
    await record(database, listed("a"), T0, file_id=ONE, state=UrlState.PROCESSED)
    await database.write(note_left, "site", T0 + HOUR, file_id=ONE)
    assert await database.write(prune_urls, at=T0 + 30 * DAY) == 0
    assert await record(database, listed("a"), T0 + 30 * DAY, file_id=OTHER) == []
    assert await database.write(prune_urls, at=T0 + 400 * DAY) == 0


async def test_only_what_left_long_ago_is_forgotten_however_long_the_rest_was_not_seen(
    database: Database,
) -> None:
    await record(database, listed("gone", "listed"), T0, file_id=ONE, state=UrlState.PROCESSED)
    await record(database, listed("listed"), T0 + HOUR, file_id=ONE)
    await database.write(note_left, "site", T0 + HOUR, file_id=ONE)
    assert await database.write(prune_urls, at=T0 + 31 * DAY, days=30) == 1
    assert await count_urls(database, "site") == {UrlState.PROCESSED: 1}


async def test_beyond_a_thousand_those_that_were_processed_go_first(database: Database) -> None:
    await record(database, listed(*(f"p{n}" for n in range(4))), T0, file_id=ONE, state=UrlState.PROCESSED)
    await record(database, listed("pending"), T0, file_id=ONE)
    await record(database, listed(*(f"listed{n}" for n in range(5))), T0 + HOUR, file_id=ONE)
    await database.write(note_left, "site", T0 + HOUR, file_id=ONE)
    assert await database.write(prune_urls, at=T0 + DAY, most=2) == 3
    assert await count_urls(database, "site") == {UrlState.PENDING: 6, UrlState.PROCESSED: 1}
    assert await database.write(prune_urls, at=T0 + DAY, most=0, site_name="another") == 0
    assert await database.write(prune_urls, at=T0 + DAY, most=0, site_name="site") == 2


async def test_any_number_of_urls_is_a_handful_of_statements(database: Database) -> None:
    entries = [SitemapEntry(url(str(number)), T0) for number in range(20_000)]
    before = database.writes
    assert len(await record(database, entries, T0, state=UrlState.PROCESSED)) == 20_000
    assert await record(database, entries, T0 + HOUR) == []
    assert database.writes - before == 4
