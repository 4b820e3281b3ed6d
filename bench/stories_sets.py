"""Sets of news items with the event that each tells of, and the measures of a grouping of them.

A set is a file `NAME.jsonl` or `NAME.jsonl.gz`; a line has id, story, title, text, time (seconds), lang, and where
there are events that are easily confused, their kind.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

SPAN_S = 72 * 3600.0


@dataclass(frozen=True, slots=True)
class GoldItem:
    id: str
    story: str
    kind: str
    title: str
    text: str
    time: float
    language: str
    url: str


@dataclass(frozen=True, slots=True)
class Measures:
    precision: float
    recall: float
    f1: float
    """B-cubed."""
    merged: float
    """Share of the pairs of different events of one kind that are in one story."""
    stories: int


def find_sets(folder: Path) -> dict[str, list[GoldItem]]:
    """Load every set of a folder, by name."""
    paths = sorted([*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")])
    return {path.name.split(".")[0]: _load(path) for path in paths}


def _load(path: Path) -> list[GoldItem]:
    content = path.read_bytes()
    lines = (gzip.decompress(content) if path.suffix == ".gz" else content).decode().split("\n")
    rows = [json.loads(line) for line in lines if line.strip()]
    return [
        GoldItem(
            row["id"],
            row["story"],
            row.get("kind") or "",
            row["title"],
            row.get("text") or "",
            float(row.get("time") or 0),
            row.get("lang") or "",
            row.get("url") or "",
        )
        for row in rows
    ]


def arrange(items: Sequence[GoldItem], *, squeeze: bool, seed: int | None) -> list[GoldItem]:
    """Put the items in order of arrival: shuffled with `seed`, and all inside 72 hours with `squeeze`."""
    rows = list(items)
    if seed is not None:
        times = sorted(row.time for row in rows)
        random.Random(seed).shuffle(rows)
        rows = [replace(row, time=at) for row, at in zip(rows, times, strict=True)]
    if squeeze:
        first, last = min(row.time for row in rows), max(row.time for row in rows)
        rows = [replace(row, time=(row.time - first) / ((last - first) or 1) * SPAN_S) for row in rows]
    return sorted(rows, key=lambda row: (row.time, row.id))


def _pairs(number: int) -> float:
    return number * (number - 1) / 2


def measure(items: Sequence[GoldItem], labels: Sequence[object]) -> Measures:
    gold, found = Counter(item.story for item in items), Counter(labels)
    both = Counter((item.story, label) for item, label in zip(items, labels, strict=True))
    precision = sum(count * count / found[label] for (_, label), count in both.items()) / len(items)
    recall = sum(count * count / gold[story] for (story, _), count in both.items()) / len(items)
    kinds: defaultdict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        kinds[item.kind].append(place)
    different = merged = 0.0
    for places in kinds.values():
        events = Counter(items[place].story for place in places)
        groups = Counter(labels[place] for place in places)
        cells = Counter((items[place].story, labels[place]) for place in places)
        different += _pairs(len(places)) - sum(map(_pairs, events.values()))
        merged += sum(map(_pairs, groups.values())) - sum(map(_pairs, cells.values()))
    f1 = 2 * precision * recall / (precision + recall)
    return Measures(precision, recall, f1, merged / different if different else 0.0, len(found))
