"""Neutral titles on the repository's headlines: `python -m bench headlines`.

Counts, by language: neutral headlines that were changed, loaded headlines left as they were, titles that contradict
nothing checkable (a number that neither title nor text has), and titles equal to an accepted one. Whether a title is
grammatical or means the same has to be read by a person; `--print` lists all changed titles for that.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from typing import Any

from bench.labelled import DATA
from inforadar.model.analysis import Subject
from inforadar.stages.analyze.local.analyzer import analyze_subject

_NUMBER = re.compile(r"\d+")


def _plain(title: str) -> str:
    return "".join(char for char in title.casefold() if char.isalnum())


def measure(rows: Sequence[dict[str, Any]], *, is_printed: bool) -> dict[str, int]:
    counts = dict.fromkeys(
        ("neutral", "neutral changed", "loaded", "loaded left", "accepted", "foreign numbers"), 0
    )
    for row in rows:
        subject = Subject(
            url="", title=row["title"], description="", text=row["text"], language=row["language"]
        )
        title = analyze_subject(subject).title
        is_changed = _plain(title) != _plain(row["title"])
        kind = "loaded" if row["is_loaded"] else "neutral"
        counts[kind] += 1
        counts["neutral changed"] += is_changed and not row["is_loaded"]
        counts["loaded left"] += not is_changed and row["is_loaded"]
        counts["accepted"] += row["is_loaded"] and _plain(title) in map(_plain, row["accepted"])
        known = set(_NUMBER.findall(row["title"] + row["text"]))
        counts["foreign numbers"] += bool(set(_NUMBER.findall(title)) - known)
        if is_printed and is_changed:
            print(f"{kind} {row['id']}: {row['title']}\n    -> {title}")
    return counts


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--print", action="store_true", help="list the changed titles")
    options = parser.parse_args(argv)
    total: dict[str, int] = {}
    for file in sorted((DATA / "headlines").glob("*.jsonl")):
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        counts = measure(rows, is_printed=options.print)
        print(f"  {file.stem}  " + ", ".join(f"{name} {count}" for name, count in counts.items()))
        total = {name: total.get(name, 0) + count for name, count in counts.items()}
    print("  all " + ", ".join(f"{name} {count}" for name, count in total.items()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
