"""The log of an embedded Info Radar: its events are records of the standard `logging` module.

They go to the logger that the program gives, else to the logger `inforadar`, which is silent until the program
configures `logging`. Nothing is printed. Only the calls of the public API are redirected: a program that uses structlog
itself keeps its own events and its own configuration.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

import structlog

from inforadar.masks import masked_fields

Logger = logging.Logger | logging.LoggerAdapter[Any]

_own: Final = logging.getLogger("inforadar")
_own.addHandler(logging.NullHandler())

_current: ContextVar[Logger | None] = ContextVar("logger", default=None)


@contextmanager
def logging_to(logger: Logger | None) -> Iterator[None]:
    """Send the events of this block, and of the tasks started in it, to a logger; None is the logger `inforadar`."""
    processors = structlog.get_config()["processors"]
    if _redirect not in processors:
        structlog.configure(processors=[_redirect, *processors])
    token = _current.set(logger or _own)
    try:
        yield
    finally:
        _current.reset(token)


def _redirect(_logger: Any, level: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Turn an event into a record of `logging`; events outside of `logging_to` pass unchanged."""
    target = _current.get()
    if target is None:
        return event
    number = logging.getLevelNamesMapping()[level.upper()]
    if target.isEnabledFor(number):
        fields = {**structlog.contextvars.get_contextvars(), **event}
        exc_info = fields.pop("exc_info", None)
        fields = masked_fields(fields)
        name = fields.pop("event")
        text = " ".join([str(name), *(f"{key}={_shown(value)}" for key, value in fields.items())])
        target.log(number, "%s", text, exc_info=exc_info)
    raise structlog.DropEvent


def _shown(value: object) -> str:
    """Numbers as they are, all else in quotes with its line breaks escaped: it may come from the web."""
    is_plain = value is None or isinstance(value, bool | int | float)
    return str(value) if is_plain else repr(str(value))
