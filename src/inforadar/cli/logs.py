"""Logs: `noun.verb` events with fields, readable on a terminal, JSON elsewhere; on standard error."""

from __future__ import annotations

import logging
import sys
from typing import TextIO

import structlog

from inforadar.config import LogSettings


def configure_logs(settings: LogSettings, *, quiet: bool = False, file: TextIO | None = None) -> None:
    """`quiet` is for commands that answer by themselves: only warnings and worse. `file` instead of the terminal."""
    target = file or sys.stderr
    as_json = settings.format == "json" or (settings.format == "auto" and not target.isatty())
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.dev.ConsoleRenderer(colors=target.isatty())
    )
    processors: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if as_json:
        processors.append(structlog.processors.dict_tracebacks)
    level = logging.getLevelNamesMapping()[settings.level.upper()]
    if quiet:
        level = max(level, logging.WARNING)
    structlog.configure(
        processors=[*processors, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(target),
    )
