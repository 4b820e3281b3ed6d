"""Statistics of the canonical stage."""

from __future__ import annotations

from inforadar.model.article import Extracted, FailureCode, NotExtracted
from inforadar.store.articles.claims import claim_articles
from inforadar.store.articles.save import ArticleEnding, save_article
from inforadar.store.articles.stats import HostStats, load_article_stats
from inforadar.store.database import Database
from tests.store.making import NOW, add_feed, collect, listed

TEXT = Extracted(clean_text="Text", markdown="Text")


def failed(code: FailureCode) -> NotExtracted:
    return NotExtracted(code=code, detail="why")


async def test_nothing_attempted_has_no_rate(database: Database) -> None:
    stats = await database.read(load_article_stats)
    assert (stats.stored, stats.failed, stats.success_rate, stats.hosts) == (0, 0, None, ())


async def test_articles_are_counted_by_code_by_host_and_by_their_place_in_the_queue(
    database: Database,
) -> None:
    feed = await add_feed(database)
    results = {
        "https://good.example/1": TEXT,
        "https://good.example/2": TEXT,
        "https://bad.example:8443/1": failed(FailureCode.HTTP),
        "https://bad.example:8443/2": failed(FailureCode.EMPTY),
        "https://bad.example:8443/3": failed(FailureCode.EMPTY),
        "https://bad.example:8443/4": TEXT,
        "https://late.example/": failed(FailureCode.TIMEOUT),
    }
    waiting = ["https://new.example/1", "https://new.example/2"]
    await collect(database, feed, *(listed(url) for url in (*results, *waiting)))
    for job in await database.write(claim_articles, 100):
        if result := results.get(job.url):
            retry_s = 3600.0 if "late" in job.url else None
            ending = ArticleEnding(job=job, at=NOW, result=result, retry_after_s=retry_s)
            await database.write(save_article, ending)
    await collect(database, feed, listed("https://new.example/3"))
    stats = await database.read(load_article_stats, hosts=2)
    assert (stats.stored, stats.failed, stats.success_rate) == (3, 4, 3 / 7)
    assert stats.codes == {"FAIL_EMPTY": 2, "FAIL_HTTP": 1, "FAIL_TIMEOUT": 1}
    assert stats.hosts == (
        HostStats(host="bad.example:8443", stored=1, failed=3, codes={"FAIL_EMPTY": 2, "FAIL_HTTP": 1}),
        HostStats(host="late.example", stored=0, failed=1, codes={"FAIL_TIMEOUT": 1}),
    )
    assert (stats.due, stats.in_progress, stats.retrying, stats.postponed) == (1, 2, 1, 0)
    assert stats.hosts[0].success_rate == 0.25
