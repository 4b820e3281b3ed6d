"""Read selectors from a TOML file, for `feed add`, `feed edit` and `feed preview`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from inforadar.errors import UsageError
from inforadar.stages.discover.pages.selectors.definition import SelectorsError, parse_selectors_toml


def read_selectors(path: Path) -> dict[str, Any]:
    """Read selectors in the form that a feed stores; all problems of the file are reported together."""
    try:
        selectors = parse_selectors_toml(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise UsageError(f"{path} cannot be read: {fault.strerror}.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not a UTF-8 text file.") from None
    except SelectorsError as fault:
        raise UsageError("\n  ".join((f"{path} cannot be used:", *fault.problems))) from None
    return {name: value for name, value in asdict(selectors).items() if value is not None}
