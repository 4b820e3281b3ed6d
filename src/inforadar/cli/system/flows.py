"""`inforadar flows`: run the sitemaps of `inforadar.toml` as Prefect flows."""

from __future__ import annotations

import asyncio
from typing import Annotated

from cyclopts import Parameter

from inforadar.cli.terminal.logs import configure_logs
from inforadar.cli.terminal.output import print_json, print_line
from inforadar.config import load_settings, read_flows
from inforadar.errors import ConfigError


def serve(
    *,
    work_pool: Annotated[
        str | None,
        Parameter(help="Register the flows for this work pool instead of running them here."),
    ] = None,
    json: Annotated[bool, Parameter(negative="", help="Print the flows' names as JSON.")] = False,
) -> None:
    """Register each [flows.NAME] of inforadar.toml with the Prefect server and run it on its schedule."""
    settings = load_settings()
    configure_logs(settings.log)
    names = [f"incremental-rss-{name}" for name in read_flows(settings.home)]
    try:
        from inforadar.flows.deployments import serve_flows  # noqa: PLC0415 - an extra, and slow to import
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "prefect":
            raise
        raise ConfigError("Flows need the extra: pip install 'inforadar[prefect]'.") from None
    if not json and names:
        flows = ", ".join(names)
        print_line(
            f"Registering {flows} for the work pool {work_pool}."
            if work_pool
            else f"Running {flows}. Press Ctrl-C to stop."
        )
    done = asyncio.run(serve_flows(settings, work_pool=work_pool))
    if json:
        print_json(list(done))
