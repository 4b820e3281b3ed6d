"""`inforadar worker`. Apart from `inforadar api`, which needs none of what a worker imports."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from cyclopts import Parameter

from inforadar.app.process import run_async, tune_garbage_collector
from inforadar.app.store import open_store
from inforadar.app.worker import open_worker
from inforadar.cli.system.signals import until_cancelled, until_signal
from inforadar.cli.terminal.logs import configure_logs
from inforadar.cli.terminal.output import print_json, print_line, safe
from inforadar.config import Settings, load_settings
from inforadar.errors import UsageError
from inforadar.pipeline.freed_memory import limit_freed_memory
from inforadar.pipeline.worker import Stage, Worker, WorkReport
from inforadar.store.database import WORKER_LOCK_TIMEOUT_S
from inforadar.texts import counted


def worker(
    *,
    once: Annotated[
        bool, Parameter(negative="", help="Run one cycle over all due and requested feeds, then exit.")
    ] = False,
    stages: Annotated[str, Parameter(help="The stages to run, separated by commas.")] = ",".join(Stage),
    json: Annotated[bool, Parameter(name="--json", negative="", help="With --once: print JSON.")] = False,
) -> int:
    """Start only a worker, which fetches due feeds and articles, analyzes items and builds feeds."""
    limit_freed_memory()
    chosen = _stages(stages)
    settings = load_settings()
    configure_logs(settings.log)
    if not once:
        run_async(until_signal(lambda stop: _work(settings, chosen, stop)))
        return 0
    report = run_async(until_cancelled(_work_once(settings, chosen)))
    if json:
        print_json(_document(report))
    else:
        _print(report)
    return 1 if report.collected.errors else 0


def _stages(text: str) -> frozenset[Stage]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    known = [stage.value for stage in Stage]
    if not names or (wrong := [name for name in names if name not in known]):
        raise UsageError(
            f"--stages: {', '.join(wrong) if names else 'an empty list'} is not valid. Use some of: {', '.join(known)}."
        )
    return frozenset(Stage(name) for name in names)


async def _work(settings: Settings, stages: frozenset[Stage], stop: asyncio.Event) -> None:
    async with patient_worker(settings, stages, runs_on=True) as worker:
        await worker.run(stop)


async def _work_once(settings: Settings, stages: frozenset[Stage]) -> WorkReport:
    async with patient_worker(settings, stages) as worker:
        return await worker.run_once()


@asynccontextmanager
async def patient_worker(
    settings: Settings, stages: frozenset[Stage], *, runs_on: bool = False
) -> AsyncIterator[Worker]:
    """Open a worker that waits for another program's lock for longer than a person would."""
    async with (
        open_store(settings, lock_timeout_s=WORKER_LOCK_TIMEOUT_S) as database,
        open_worker(settings, database, stages=stages, runs_on=runs_on) as worker,
    ):
        tune_garbage_collector()
        yield worker


def _document(report: WorkReport) -> dict[str, Any]:
    collected = report.collected
    return {
        "run_id": str(report.run_id) if report.run_id else None,
        "feeds": collected.fetched,
        "added_count": collected.added,
        "updated_count": collected.updated,
        "dropped_count": collected.dropped,
        "errors_count": len(collected.errors),
        "errors": collected.errors,
        "warnings": collected.warnings,
        "postponed_count": collected.postponed,
        "fetches": [str(fetched.run_id) for fetched in report.fetches],
        "articles": dict(report.articles),
        "looks": dict(report.looks),
        "analyses": dict(report.analyses),
        "built": report.built,
    }


def _print(report: WorkReport) -> None:
    collected = report.collected
    for fetched in report.fetches:
        print_line(
            f"Requested fetch: {counted(fetched.added_count, 'item')} added, {fetched.updated_count} updated, "
            f"{counted(fetched.errors_count, 'error')}."
        )
    print_line(
        f"Fetched {counted(collected.fetched, 'feed')}: {counted(collected.added, 'item')} added, "
        f"{collected.updated} updated, {counted(len(collected.errors), 'error')}."
    )
    for url, error in collected.errors.items():
        print_line(f"! {safe(url)}: {safe(error)}")
    if collected.postponed:
        print_line(f"{counted(collected.postponed, 'feed')} postponed until their host may be asked again.")
    print_line(
        f"Articles: {_counts(report.articles)}. Analyses: {_counts(report.analyses)}. "
        f"Built {counted(report.built, 'feed')}."
    )


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counter.items())) or "none"
