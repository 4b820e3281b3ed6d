"""`inforadar analyze …`: run the analyzer, show its state, show its prompt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Annotated, Any

from cyclopts import Parameter, validators

from inforadar.actions.analyze_again import analyze_again
from inforadar.app.analysis import make_builder, open_analysis
from inforadar.cli.terminal.output import print_json, print_line
from inforadar.cli.terminal.run import on_store
from inforadar.cli.terminal.tables import print_table
from inforadar.clock import utc_now
from inforadar.config import Settings, load_settings
from inforadar.stages.analyze.base import FailureKind
from inforadar.stages.analyze.choose import prompts_folder
from inforadar.stages.analyze.llm.prompt import DEFAULT_PROMPT, load_prompt
from inforadar.store.analyses.queries import AnalysisCounts, Spent, load_analysis_counts, load_spending
from inforadar.store.database import Database
from inforadar.texts import counted

Json = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]

_ENDINGS = {
    "analyzed": "analyzed",
    "cached": "answered from the cache",
    "failed": "failed, to be retried",
    "waiting": "waiting for the endpoint or the budget",
    "unwanted": "skipped, because their feed is not analyzed",
    "lost": "taken over by another worker",
}


def run(
    *,
    again: Annotated[
        bool,
        Parameter(
            negative="", help="Also items analyzed by another model or prompt version, and those given up."
        ),
    ] = False,
    limit: Annotated[
        int | None,
        Parameter(validator=validators.Number(gte=1, lte=10_000_000), help="Maximum number of items."),
    ] = None,
    json: Json = False,
) -> int:
    """Analyze the queued items, then build the feeds that changed."""

    async def work(database: Database, settings: Settings) -> tuple[int, Counter[str], int]:
        async with open_analysis(settings, database) as stage:
            queued = await analyze_again(database, stage.analyzers) if again else 0
            endings = await stage.run_once(limit)
        return queued, endings, await make_builder(settings, database).run_once()

    queued, endings, built = on_store(work)
    if json:
        print_json({"queued_again": queued, "endings": dict(endings), "built": built})
    else:
        if again:
            print_line(f"Queued {counted(queued, 'item')} again.")
        for name, words in _ENDINGS.items():
            if endings[name]:
                print_line(f"{counted(endings[name], 'item')} {words}.")
        if not endings:
            print_line("Nothing to analyze.")
        if endings["failed"] or endings["waiting"]:
            print_line("`inforadar analyze stats` shows why.")
        print_line(f"Built {counted(built, 'feed')}.")
    return 1 if endings["failed"] or endings["waiting"] else 0


def stats(
    *,
    days: Annotated[
        int,
        Parameter(validator=validators.Number(gte=0, lte=36_500), help="Days of cost to show."),
    ] = 30,
    json: Json = False,
) -> None:
    """Show the queue by lane, results by model, failures by kind, and the cost."""

    async def work(database: Database, settings: Settings) -> tuple[AnalysisCounts, list[Spent], Settings]:
        counts = await database.read(load_analysis_counts, [kind.value for kind in FailureKind])
        return counts, await database.read(load_spending, _today() - timedelta(days=days)), settings

    counts, spending, settings = on_store(work)
    today = sum(spent.cost for spent in spending if spent.day == _today())
    if json:
        print_json(_document(counts, spending, today, settings.ai.daily_budget))
        return
    print_line(
        f"Queue: {counts.fresh} new, {counts.retry} to retry, {counts.working} in progress, {counts.dead} given up."
    )
    print_table(["Model", "Prompt", "Items>"], counts.results, empty="No items analyzed yet.")
    if counts.failures:
        print_table(
            ["Failure", "Items>", "Example"],
            ((kind, number, counts.messages[kind]) for kind, number in counts.failures.items()),
            empty="",
        )
    budget = settings.ai.daily_budget
    of_budget = f" of ${budget:g}" if budget else ""
    print_line(f"Spent today: ${today:.4f}{of_budget}.")
    print_table(
        ["Day", "Model", "Feed", "Calls>", "Tokens in>", "Tokens out>", "Cost>"],
        (
            (
                spent.day,
                spent.model,
                spent.feed_url or "(deleted)",
                spent.calls,
                spent.tokens_in,
                spent.tokens_out,
                f"${spent.cost:.4f}",
            )
            for spent in spending
        ),
        empty=f"No model was called in the last {counted(days, 'day')}.",
    )


def prompt(
    *,
    name: Annotated[str, Parameter(help="The prompt's name.")] = DEFAULT_PROMPT,
    json: Json = False,
) -> None:
    """Show a prompt, its version and its origin."""
    folder = prompts_folder(load_settings().home)
    found = load_prompt(name, folder)
    if json:
        print_json({"name": found.name, "version": found.version, "origin": found.origin, "text": found.text})
        return
    print_line(f"{found.version}, from {found.origin}. To change it, edit {folder / f'{name}.md'}.\n")
    print_line(found.text)


def _today() -> date:
    return utc_now().date()


def _document(
    counts: AnalysisCounts, spending: Sequence[Spent], today: float, daily_budget: float
) -> dict[str, Any]:
    return {
        "queue": {
            "fresh": counts.fresh,
            "retry": counts.retry,
            "working": counts.working,
            "dead": counts.dead,
        },
        "results": [
            {"model": model, "prompt_version": version, "items": number}
            for model, version, number in counts.results
        ],
        "failures": dict(counts.failures),
        "failure_messages": dict(counts.messages),
        "spent_today": round(today, 6),
        "daily_budget": daily_budget,
        "costs": [
            {
                "day": spent.day.isoformat(),
                "model": spent.model,
                "feed_id": str(spent.feed_id),
                "feed_url": spent.feed_url,
                "calls": spent.calls,
                "tokens_in": spent.tokens_in,
                "tokens_out": spent.tokens_out,
                "cost": round(spent.cost, 6),
            }
            for spent in spending
        ],
    }
