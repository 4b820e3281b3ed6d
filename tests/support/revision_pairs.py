"""The pairs of `tests/data/revisions`: articles that did not change, and articles that did."""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from inforadar.model.revision import Snapshot

FOLDER = Path(__file__).parent.parent / "data" / "revisions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    name: str
    old: Snapshot
    new: Snapshot
    kinds: tuple[str, ...] = ()
    is_noted: bool = False
    is_live: bool = False
    only: bool = False


def load_pairs(name: str) -> list[Pair]:
    """`same` or `edits`."""
    bases = tomllib.loads((FOLDER / "bases.toml").read_text())
    rows = tomllib.loads((FOLDER / f"{name}.toml").read_text())["pair"]
    return [_pair(row, bases[row["base"]]) for row in rows]


def _pair(row: dict[str, Any], base: dict[str, Any]) -> Pair:
    old_text = new_text = base["text"].strip()
    if row.get("then"):
        old_text = _replaced(old_text, row.get("replace", []))
        new_text = _replaced(old_text, row["then"])
    else:
        new_text = _replaced(new_text, row.get("replace", []))
    if row.get("decompose"):
        new_text = unicodedata.normalize("NFD", new_text)
    old_lines, new_lines = old_text.split("\n\n"), new_text.split("\n\n")
    if "remove" in row:
        del new_lines[row["remove"]]
    if "move" in row:
        source, target = row["move"]
        new_lines.insert(target, new_lines.pop(source))
    at = row.get("at", len(old_lines))
    old_lines[at:at] = row.get("old_lines", [])
    new_lines[at:at] = row.get("new_lines", [])
    old = _snapshot(row, base, "old", old_lines)
    new = _snapshot(row, base, "new", new_lines)
    if row.get("swap"):
        old, new = new, old
    return Pair(
        name=row["name"],
        old=old,
        new=new,
        kinds=tuple(row.get("kinds", ())),
        is_noted=row.get("noted", False),
        is_live=row.get("live", False),
        only=row.get("only", False),
    )


def _replaced(text: str, pairs: Sequence[Sequence[str]]) -> str:
    for find, put in pairs:
        text = text.replace(find, put)
    return text


def _snapshot(row: dict[str, Any], base: dict[str, Any], side: str, lines: Sequence[str]) -> Snapshot:
    def given(name: str) -> str | None:
        return row.get(f"{side}_{name}", row.get(f"old_{name}", base.get(name))) or None

    date = row.get(f"{side}_date")
    return Snapshot(
        text="\n\n".join(lines),
        title=row.get(f"{side}_title", base["title"]),
        author=row.get(f"{side}_author", base["author"]),
        image=given("image"),
        published_at=datetime.fromisoformat(date) if date else None,
        language=base["language"],
        url=base.get("url", "https://outlet.example/news/ferry"),
    )
