"""`inforadar brief`: the most-told stories of the day."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter, validators

from inforadar.app.stories import load_brief
from inforadar.cli.terminal.output import print_json, print_line
from inforadar.cli.terminal.run import on_store
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.store.database import Database
from inforadar.views.brief import Brief, brief_document, brief_html, brief_markdown
from inforadar.views.times import parse_span


def brief(
    *,
    since: Annotated[str, Parameter(help="How far back: 90m, 24h, 7d.")] = "24h",
    top: Annotated[
        int, Parameter(validator=validators.Number(gte=1, lte=100), help="Maximum number of stories.")
    ] = 10,
    format: Annotated[  # noqa: A002 - the option's name
        Literal["markdown", "html", "json"], Parameter(help="The form of the output.")
    ] = "markdown",
    json: Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")] = False,
) -> None:
    """Print the most-told stories with headline, sources, scores and three facts each."""
    span = parse_span(since)

    async def work(database: Database, _: Settings) -> Brief:
        now = utc_now()
        return await load_brief(database, now - span, top, now)

    made = on_store(work)
    if json or format == "json":
        print_json(brief_document(made))
    elif format == "html":
        print_line(brief_html(made))
    else:
        print_line(brief_markdown(made))
