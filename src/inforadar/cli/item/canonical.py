"""`inforadar canonical …`: fetch articles, show their statistics, rebuild Redis."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from typing import Annotated, Any

from cyclopts import Parameter, validators
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from inforadar.actions.rebuild_redis import rebuild_redis
from inforadar.actions.remake_articles import remake_articles
from inforadar.app.redis import open_redis
from inforadar.app.store import open_store
from inforadar.app.worker import open_worker
from inforadar.cli.terminal.logs import configure_logs
from inforadar.cli.terminal.output import print_json, print_line, safe
from inforadar.cli.terminal.run import on_store
from inforadar.cli.terminal.tables import print_table
from inforadar.clock import utc_now
from inforadar.config import Settings, load_settings
from inforadar.masks import masked
from inforadar.model.article import Extracted, NotExtracted
from inforadar.model.http import NotModified
from inforadar.pipeline.articles import ArticleListener, ArticleProgress
from inforadar.pipeline.worker import Stage
from inforadar.store.articles.queries import count_due_articles
from inforadar.store.articles.stats import ArticleStats, load_article_stats
from inforadar.store.database import Database
from inforadar.texts import counted

Json = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]


def run(*, json: Json = False) -> int:
    """Fetch the articles of all new URLs, then exit."""
    settings = load_settings()
    configure_logs(settings.log, quiet=True)
    shown = _ProgressLines(silent=json)
    try:
        endings, stats = asyncio.run(_run(settings, shown))
    finally:
        shown.close()
    if json:
        print_json({"endings": dict(sorted(endings.items())), "queue": _queue_document(stats)})
    elif endings:
        counts = ", ".join(f"{number} {name}" for name, number in sorted(endings.items()))
        print_line(f"{counted(sum(endings.values()), 'article')}: {counts}.{_waiting(stats)}")
    else:
        print_line(f"No new articles.{_waiting(stats)}")
    return 0


async def _run(settings: Settings, shown: _ProgressLines) -> tuple[Counter[str], ArticleStats]:
    stages = frozenset({Stage.CANONICAL})
    async with (
        open_store(settings) as database,
        open_worker(settings, database, stages=stages, listener=shown.listener) as worker,
    ):
        if worker.projection:
            await worker.projection.take_in()
        shown.start(await database.read(count_due_articles))
        endings = await worker.canonicalizer.run_to_the_end()
        return endings, await database.read(load_article_stats, hosts=0)


def _waiting(stats: ArticleStats) -> str:
    waiting = stats.retrying + stats.postponed
    return f" {counted(waiting, 'article')} will be tried later." if waiting else ""


class _ProgressLines:
    """Prints the seed's lines; on a terminal, above a progress bar."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent
        self._bar: Progress | None = None
        if not silent and sys.stdout.isatty():
            columns = (TextColumn("Articles"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self._bar = Progress(*columns, console=Console(highlight=False), transient=True)
        self._task = self._bar.add_task("articles", total=None) if self._bar else None

    @property
    def listener(self) -> ArticleListener:
        return self._show

    def start(self, total: int) -> None:
        if self._bar and self._task is not None and total:
            self._bar.update(self._task, total=total)
            self._bar.start()

    def close(self) -> None:
        if self._bar:
            self._bar.stop()

    def _show(self, progress: ArticleProgress) -> None:
        if self._silent:
            return
        for line in canon_lines(progress):
            if self._bar:
                self._bar.console.print(Text(line), soft_wrap=True)
            else:
                print(masked(line), flush=True)
        if self._bar and self._task is not None and progress.ending:
            self._bar.advance(self._task)


def canon_lines(progress: ArticleProgress) -> list[str]:
    """Return seed 3's lines for one event, safe for a terminal; a failure has a second line with URL and reason."""
    job = progress.job
    if progress.ending is None:
        return [f"[canon] 🌐 Fetching → {safe(job.url)}"]
    match progress.ending.result:
        case Extracted():
            return [f"[canon] ✅ Stored canonical → {job.uid}"]
        case NotModified():
            return [f"[canon] ✅ Unchanged → {job.uid}"]
        case NotExtracted(code=code, detail=detail):
            return [
                f"[canon] ⚠️ {code.in_words} → skip",
                f"[canon]    {code.value} {safe(job.url)}: {safe(detail)}",
            ]


def stats(
    *,
    hosts: Annotated[
        int,
        Parameter(validator=validators.Number(gte=1, lte=10_000), help="Maximum number of hosts to show."),
    ] = 20,
    json: Json = False,
) -> None:
    """Show stored articles, failures by host, and the queue."""

    async def work(database: Database, _: Settings) -> ArticleStats:
        return await database.read(load_article_stats, hosts=hosts)

    found = on_store(work)
    if json:
        print_json(_stats_document(found))
        return
    rate = found.success_rate
    if rate is None:
        print_line("No articles fetched yet. Run `inforadar worker --once`.")
    else:
        print_line(f"{found.stored} stored, {found.failed} failed: {rate:.1%} success.")
    print_line(
        f"Queue: {found.due} due, {found.in_progress} in progress, {found.postponed} waiting for their host, "
        f"{found.retrying} to retry."
    )
    if found.outbox:
        print_line(f"{counted(found.outbox, 'event')} not yet written to Redis.")
    if found.codes:
        print_line("")
        print_table(["Code", "Articles>"], found.codes.items(), empty="")
    if found.hosts:
        print_line("")
        print_table(
            ["Host", "Stored>", "Failed>", "Success>", "Codes"],
            (
                (
                    host.host,
                    host.stored,
                    host.failed,
                    f"{host.success_rate:.1%}",
                    ", ".join(f"{number} {code}" for code, number in host.codes.items()) or None,
                )
                for host in found.hosts
            ),
            empty="",
        )


def _stats_document(stats: ArticleStats) -> dict[str, Any]:
    return {
        "stored": stats.stored,
        "failed": stats.failed,
        "success_rate": stats.success_rate,
        "codes": dict(stats.codes),
        "hosts": [
            {
                "host": host.host,
                "stored": host.stored,
                "failed": host.failed,
                "success_rate": host.success_rate,
                "codes": dict(host.codes),
            }
            for host in stats.hosts
        ],
        "queue": _queue_document(stats),
    }


def _queue_document(stats: ArticleStats) -> dict[str, int]:
    return {
        "due": stats.due,
        "in_progress": stats.in_progress,
        "postponed": stats.postponed,
        "retrying": stats.retrying,
        "outbox": stats.outbox,
    }


def rebuild(
    *,
    articles: Annotated[
        bool,
        Parameter(
            negative="",
            help="Instead, fetch the stored articles again that have no HTML and no pictures yet.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Rebuild the data in Redis from the database, for example after a FLUSHALL."""
    if articles:
        _remake_articles(json=json)
        return

    async def work(database: Database, settings: Settings) -> dict[str, int]:
        async with open_redis(settings, database, now=utc_now) as projection:
            return await rebuild_redis(projection)

    counts = on_store(work)
    if json:
        print_json(counts)
        return
    articles_, links, failures = (
        counted(counts[f"{noun}s"], noun) for noun in ("article", "link", "failure")
    )
    print_line(f"Wrote {articles_}, {links} and {failures} to Redis.")


def _remake_articles(*, json: bool) -> None:
    async def work(database: Database, _: Settings) -> int:
        return await remake_articles(database)

    number = on_store(work)
    if json:
        print_json({"queued": number})
    elif number:
        print_line(
            f"{counted(number, 'article')} will be fetched again by a worker. The texts stay until then."
        )
    else:
        print_line("All stored articles have their HTML.")
