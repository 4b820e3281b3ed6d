"""Logs on standard error: `noun.verb` events with fields, as text on a terminal, as JSON elsewhere.

No secrets and no bodies: fields are masked, and tracebacks show no values.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, TextIO, cast

import structlog

from inforadar.config import LogSettings
from inforadar.errors import OutputError, ReaderGoneError
from inforadar.masks import masked_fields


def configure_logs(settings: LogSettings, *, quiet: bool = False, file: TextIO | None = None) -> None:
    """Configure the log. `quiet` logs only warnings and errors, for commands that print a result of their own."""
    target = file or sys.stderr
    as_json = settings.format == "json" or (settings.format == "auto" and not target.isatty())
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.dev.ConsoleRenderer(
            colors=target.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    )
    processors: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if as_json:
        transformer = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        processors.append(structlog.processors.ExceptionRenderer(transformer))
    else:
        processors.append(structlog.processors.format_exc_info)
    level = logging.getLevelNamesMapping()[settings.level.upper()]
    if quiet:
        level = max(level, logging.WARNING)
    structlog.configure(
        processors=[*processors, _mask, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, _LogFile(target))),
    )


class _LogFile:
    """The file of the log. Lines that cannot be written are dropped: a full disk must not end the work."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> None:
        with _dropping_unwritten():
            self._file.write(text)

    def flush(self) -> None:
        with _dropping_unwritten():
            self._file.flush()


@contextmanager
def _dropping_unwritten() -> Iterator[None]:
    try:
        yield
    except (BrokenPipeError, ReaderGoneError):
        # The reader of the log has closed it, which ends the program.
        raise
    except (OSError, OutputError):
        return


def _mask(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    fields: dict[str, Any] = masked_fields(dict(event))
    return fields
