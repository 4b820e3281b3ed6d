"""The labelled texts that the head of the local analyzer is trained on and measured with.

`bench/data/framing` and `bench/data/headlines` are part of the repository. The other sets are read from a folder of
corpora; only sets whose licence permits it may be added here, see `docs/model-card.md`.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.deframe_corpora import read_clickbait16, read_ta1c
from inforadar.model.analysis import ScoreName

DATA = Path(__file__).parent / "data"
FOLDS = 5
_EVERY_CLICKBAIT16 = 4
"""clickbait16 has 32,000 headlines of two extremes; a quarter of them teaches the same."""
_FRAMED = frozenset({"loaded", "absolute", "insinuating", "sensational", "shouting"})
_PERSUADING = frozenset({"loaded", "absolute", "insinuating"})
_STIMULATING = frozenset({"sensational", "shouting"})


def fold_of(group: str) -> int:
    """The fold of the cross-validation that holds a group out."""
    return int(hashlib.sha256(group.encode()).hexdigest(), 16) % FOLDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A text with the labels that its set has; a score that is not labelled is missing."""

    source: str
    language: str
    text: str
    group: str
    """Texts of one group are never split between training and test."""
    labels: dict[ScoreName, int]
    weight: dict[ScoreName, float] = field(default_factory=dict)
    """How much a label counts in training; 1 if not listed."""
    is_title: bool = False

    @property
    def fold(self) -> int:
        return fold_of(self.group)

    @property
    def is_any(self) -> int:
        """Whether any label is set: what the overall score should tell."""
        return int(any(self.labels.values()))


def read_all(corpora: Path | None) -> list[Labelled]:
    """Read the repository's own texts, and the sets that the folder has."""
    found = list(read_framing())
    if corpora is not None:
        for name, read in (("slavic", read_slavic), ("ta1c", _read_ta1c), ("clickbait16", _read_clickbait16)):
            if (corpora / name).is_dir():
                found += read(corpora)
    return found


def read_framing(folder: Path = DATA / "framing") -> Iterator[Labelled]:
    """The repository's own pairs and hard negatives."""
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            device, is_headline = row["device"], row["form"] == "headline"
            labels = {
                ScoreName.FRAMING: int(device in _FRAMED),
                ScoreName.PERSUASIVE: int(device in _PERSUADING),
                ScoreName.HYPER_STIMULUS: int(device in _STIMULATING),
                ScoreName.SPECULATIVE: int(device == "speculative"),
            }
            if device == "speculative":
                # A guess that nobody stands behind frames too, but it is not what this score is about.
                del labels[ScoreName.FRAMING]
            if device in _STIMULATING:
                del labels[ScoreName.PERSUASIVE]
            if device in _PERSUADING:
                del labels[ScoreName.HYPER_STIMULUS]
            if is_headline:
                labels[ScoreName.CLICKBAIT] = row["clickbait"]
            yield Labelled(
                source="own", language=row["language"], text=row["text"], group=row["pair"] or row["id"],
                labels=labels, is_title=is_headline,
                weight={
                    ScoreName.FRAMING: 2.0, ScoreName.CLICKBAIT: 3.0,
                    ScoreName.HYPER_STIMULUS: 2.0, ScoreName.SPECULATIVE: 2.0,
                },
            )  # fmt: skip


def read_headlines(folder: Path = DATA / "headlines") -> Iterator[Labelled]:
    """The headlines of the repository; they are for measuring only and never trained on."""
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield Labelled(
                source="headlines", language=row["language"], text=row["title"], group=row["id"],
                labels={ScoreName.OVERALL: int(row["is_loaded"]), ScoreName.FRAMING: int(row["is_loaded"])},
                is_title=True,
            )  # fmt: skip


def read_slavic(corpora: Path) -> Iterator[Labelled]:
    """Sentences of news and speeches; any persuasion technique frames and persuades (MIT)."""
    for folder in sorted((corpora / "slavic").iterdir()):
        for file in sorted(folder.glob("*.csv")) if folder.is_dir() else ():
            with file.open(encoding="utf-8", newline="") as lines:
                for row in csv.DictReader(lines):
                    is_persuading = int(bool(ast.literal_eval(row["techniques"])))
                    yield Labelled(
                        source="slavic", language=folder.name.lower(), text=row["content"], group=row["filename"],
                        labels={ScoreName.FRAMING: is_persuading, ScoreName.PERSUASIVE: is_persuading},
                    )  # fmt: skip


def _read_ta1c(corpora: Path) -> Iterator[Labelled]:
    for headline in read_ta1c(corpora):
        yield Labelled(
            source="ta1c", language="es", text=headline.text, group=f"ta1c {headline.group}",
            labels={ScoreName.CLICKBAIT: headline.label}, is_title=True,
        )  # fmt: skip


def _read_clickbait16(corpora: Path) -> Iterator[Labelled]:
    for number, headline in enumerate(read_clickbait16(corpora)):
        if number % _EVERY_CLICKBAIT16 == 0:
            yield Labelled(
                source="clickbait16", language="en", text=headline.text, group=f"clickbait16 {number}",
                labels={ScoreName.CLICKBAIT: headline.label}, weight={ScoreName.CLICKBAIT: 0.5},
                is_title=True,
            )  # fmt: skip
