"""Selectors from a TOML file, as `feed add`, `feed edit` and `feed preview` take them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from inforadar.errors import UsageError
from inforadar.stages.discover.pages.selectors.definition import SelectorsError, parse_selectors_toml


def read_selectors(path: Path) -> dict[str, Any]:
    """What a feed keeps of them; all that is wrong with the file is said at once."""
    try:
        selectors = parse_selectors_toml(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise UsageError(f"{path} cannot be read: {fault.strerror}.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not a text in UTF-8.") from None
    except SelectorsError as fault:
        raise UsageError("\n  ".join((f"{path} cannot be used:", *fault.problems))) from None
    return {name: value for name, value in asdict(selectors).items() if value is not None}
