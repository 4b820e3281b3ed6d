"""Logs: `noun.verb` events with fields, readable on a terminal, JSON elsewhere; always on standard error."""

from __future__ import annotations

import logging
import sys

import structlog

from inforadar.config import LogSettings


def configure_logs(settings: LogSettings, *, quiet: bool = False) -> None:
    """`quiet` is for commands that answer by themselves: only warnings and worse."""
    as_json = settings.format == "json" or (settings.format == "auto" and not sys.stderr.isatty())
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
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
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
