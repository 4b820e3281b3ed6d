"""Read the two clickbait corpora, with groups by which they can be split without leaking.

clickbait16 (Chakraborty and others, ASONAM 2016, MIT): English headlines, collected by publisher, so each label is that
of its publisher. The files do not name the publishers, but the negative headlines come in two layouts (with and without
blank lines between them), which are two sources; the positive ones are grouped by form.
TA1C (MIT): Spanish teasers of 18 media, each labelled by three people; grouped by medium.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import tarfile
from dataclasses import dataclass
from pathlib import Path

from inforadar.stages.analyze.local.clickbait import features_of
from inforadar.stages.analyze.local.lexicon import lexicon_for
from inforadar.stages.analyze.local.text import words_of

_URL = re.compile(r"https?://\S+")
_ASKS = {
    "which",
    "are",
    "can",
    "do",
    "what",
    "who",
    "how",
    "is",
    "did",
    "does",
    "should",
    "would",
    "will",
    "what's",
    "have",
    "when",
    "why",
    "could",
    "if",
}
_POINTS = {"this", "these", "here's", "here", "the", "there's"}


@dataclass(frozen=True, slots=True)
class Headline:
    text: str
    label: int
    group: str


def read_clickbait16(folder: Path) -> list[Headline]:
    found = []
    for name, label in (("clickbait_data.gz", 1), ("non_clickbait_data.gz", 0)):
        with gzip.open(folder / "clickbait16" / name, "rt", encoding="utf-8") as file:
            lines = [line.strip() for line in file]
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            if line:
                group = _form(line) if label else ("wire" if not following else "press")
                found.append(Headline(line, label, group))
    return found


def _form(headline: str) -> str:
    first = headline.split(maxsplit=1)[0].lower()
    if first.isdecimal():
        return "list"
    if first in _ASKS:
        return "question"
    return "pointing" if first in _POINTS else "other"


def read_ta1c(folder: Path) -> list[Headline]:
    found = []
    with tarfile.open(folder / "ta1c" / "TA1C_dataset_minimal.tar.gz") as archive:
        for part in ("train", "validation", "test"):
            member = archive.extractfile(f"TA1C_dataset_{part}_minimal.csv")
            assert member is not None
            for row in csv.DictReader(io.TextIOWrapper(member, encoding="utf-8")):
                text = _URL.sub("", row["Teaser Text"]).strip()
                found.append(Headline(text, int(row["Tag Value"] == "Clickbait"), row["Media Name"]))
    return found


def feature_names(headline: str, language: str) -> list[str]:
    lexicon = lexicon_for(language)
    words = words_of(headline)
    return [feature.name for feature in features_of(headline, words, lexicon.hits(headline, words), lexicon)]
