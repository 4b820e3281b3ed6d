"""`inforadar run …`: reports of past runs."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter, validators

from inforadar.cli.terminal.output import print_json, print_line, safe, short_time
from inforadar.cli.terminal.run import on_store
from inforadar.cli.terminal.tables import print_table
from inforadar.config import Settings
from inforadar.model.ids import short_id
from inforadar.model.run import Report
from inforadar.store.database import Database
from inforadar.store.runs.queries import find_run, load_report, load_runs
from inforadar.texts import counted
from inforadar.views.field_diff import plain_change, shown_changes
from inforadar.views.json import report_document, run_state

Json = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]


def list_(
    *,
    limit: Annotated[
        int, Parameter(validator=validators.Number(gte=1, lte=10_000), help="Maximum number of runs to show.")
    ] = 20,
    json: Json = False,
) -> None:
    """List runs, newest first."""

    async def work(database: Database, _: Settings) -> list[Report]:
        return await database.read(load_runs, limit=limit)

    reports = on_store(work)
    if json:
        print_json([report_document(report) for report in reports])
        return
    print_table(
        ["Run", "Kind", "Started", "Finished", "Added>", "Updated>", "Errors>", "State"],
        (
            (
                short_id(report.run_id),
                report.kind.value,
                short_time(report.started_at),
                short_time(report.finished_at),
                report.added_count,
                report.updated_count,
                report.errors_count,
                run_state(report),
            )
            for report in reports
        ),
        empty="No runs yet. Run `inforadar worker --once`.",
    )


def show(
    run: Annotated[str, Parameter(help="The run's id, or a unique beginning or end of it.")],
    *,
    json: Json = False,
) -> None:
    """Show one run with every item it added or changed."""

    async def work(database: Database, _: Settings) -> Report:
        return await database.read(load_report, await database.read(find_run, run))

    report = on_store(work)
    if json:
        print_json(report_document(report))
        return
    print_line(
        f"{report.kind.value} run, {short_time(report.started_at)} to {short_time(report.finished_at)}: "
        f"{report.added_count} added, {report.updated_count} updated, {counted(report.errors_count, 'error')}, "
        f"{run_state(report)}."
    )
    for url in report.added_articles:
        print_line(f"+ {safe(url)}")
    for url, fields in report.updated_fields_map.items():
        print_line(f"~ {safe(url)}")
        for change in shown_changes(fields):
            print_line(f"    {change.field}: {safe(plain_change(change))}")
    for url, error in report.details.errors.items():
        print_line(f"! {safe(url)}: {safe(error)}")
    for url, warnings in report.details.warnings.items():
        print_line(f"! {safe(url)}: {safe(' '.join(warnings))}")
