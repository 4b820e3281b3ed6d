"""What `inforadar doctor` finds, check by check."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad it is."""

    OK = "ok"
    WARNING = "warning"
    """It works, and someone should look at it."""
    PROBLEM = "problem"
    """It does not work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    check: str
    level: Level
    sentence: str
    advice: str = ""
    """What to do, if there is something to do."""


def ok(check: str, sentence: str) -> Finding:
    return Finding(check=check, level=Level.OK, sentence=sentence)


def warning(check: str, sentence: str, advice: str) -> Finding:
    return Finding(check=check, level=Level.WARNING, sentence=sentence, advice=advice)


def problem(check: str, sentence: str, advice: str) -> Finding:
    return Finding(check=check, level=Level.PROBLEM, sentence=sentence, advice=advice)
