"""The findings of `inforadar doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """The severity of a finding."""

    OK = "ok"
    WARNING = "warning"
    """It works, but someone should look at it."""
    PROBLEM = "problem"
    """It does not work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    check: str
    level: Level
    sentence: str
    advice: str = ""
    """What to do about it; empty if nothing can be done."""


def ok(check: str, sentence: str) -> Finding:
    return Finding(check=check, level=Level.OK, sentence=sentence)


def warning(check: str, sentence: str, advice: str) -> Finding:
    return Finding(check=check, level=Level.WARNING, sentence=sentence, advice=advice)


def problem(check: str, sentence: str, advice: str) -> Finding:
    return Finding(check=check, level=Level.PROBLEM, sentence=sentence, advice=advice)
