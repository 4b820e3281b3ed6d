"""The results of many bounded runs, collected in a file: ten thousand kills are a matter of days, not of one run.

Each line is one part on one database. A part that is run again replaces what it found before.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from tests.chaos.rounds import Tally

RESULTS = Path(__file__).parents[2] / "bench" / "results" / "chaos.jsonl"


def next_part(file: Path, database: str) -> int:
    """The number of the first part that was not run yet."""
    done = {row["part"] for row in read_parts(file) if row["database"] == database}
    return next(number for number in range(1, len(done) + 2) if number not in done)


def append_part(file: Path, database: str, part: int, seed: int, tally: Tally) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    row = {
        "database": database,
        "part": part,
        "seed": seed,
        "seconds": round(tally.seconds),
        "harms": dict(tally.harms),
        "counts": {
            "requests": tally.requests,
            "articles": tally.articles,
            "leases_lost": tally.leases_lost,
            **tally.mixed,
            **tally.count_killed(),
        },
        "violations": tally.violations,
    }
    with file.open("a", encoding="utf-8") as opened:
        opened.write(json.dumps(row, ensure_ascii=False) + "\n")


def read_parts(file: Path) -> list[dict[str, Any]]:
    """The parts, each as it was run last."""
    if not file.exists():
        return []
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return list({(row["database"], row["part"]): row for row in rows}.values())


def render_totals(file: Path) -> str:
    """All parts together, a paragraph for each database."""
    lines = []
    parts = read_parts(file)
    for database in sorted({row["database"] for row in parts}):
        own = [row for row in parts if row["database"] == database]
        harms: Counter[str] = sum((Counter(row["harms"]) for row in own), Counter())
        counts: Counter[str] = sum((Counter(row["counts"]) for row in own), Counter())
        violations = [one for row in own for one in row["violations"]]
        lines += [
            f"{database}, {len(own)} parts, {sum(row['seconds'] for row in own)} s: "
            f"{len(violations)} violations",
            "  " + ", ".join(f"{number} {name}" for name, number in harms.most_common()),
            "  " + ", ".join(f"{number} {name}" for name, number in counts.items()),
        ]
    return "\n".join(lines)
