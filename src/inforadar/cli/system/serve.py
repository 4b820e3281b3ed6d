"""`inforadar api`."""

from __future__ import annotations

import os
from typing import Annotated

from cyclopts import Parameter

from inforadar.app.process import run_async
from inforadar.cli.system.api_processes import (
    PLACE,
    number_of_processes,
    serve_alone,
    serve_as_one_of,
    serve_in_processes,
)
from inforadar.cli.terminal.logs import configure_logs
from inforadar.config import load_settings
from inforadar.pipeline.freed_memory import limit_freed_memory

PROCESSES_HELP = "How many processes serve the API and the page, on the same port; 0: one for each core."


def api(
    *,
    host: Annotated[str | None, Parameter(help="The address to listen on.")] = None,
    port: Annotated[int | None, Parameter(help="The port to listen on.")] = None,
    processes: Annotated[int | None, Parameter(help=PROCESSES_HELP)] = None,
) -> int:
    """Start only the API and the web page."""
    limit_freed_memory()
    given = {"host": host, "port": port, "api_processes": processes}
    settings = load_settings().replaced(
        web={name: value for name, value in given.items() if value is not None}
    )
    configure_logs(settings.log)
    if (place := os.environ.pop(PLACE, None)) is not None:
        return run_async(serve_as_one_of(settings, place))
    if number_of_processes(settings) > 1:
        return run_async(serve_in_processes(settings))
    return run_async(serve_alone(settings))
