"""Extraction against trafilatura and readability on a corpus of pages with known text, in one run.

    python -m bench.extraction --corpus FOLDER

The folder holds `truth.json.gz` ({page: {url, text, set, title?, date?}}) and `pages/<page>.html.gz`. Text is scored by
macro F1 over shingles of four words (one token per character in Chinese, Japanese, Korean and Thai), title by equality
of words, date by day. Times are CPU times of one process, with the extractors interleaved page by page, so that a busy
machine affects all of them alike.
"""

from __future__ import annotations

import argparse
import datetime as dt
import gzip
import json
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lxml.html
import trafilatura
from readability import Document

from inforadar.model.article import Extracted
from inforadar.stages.canonical import extract

CJK = "\u0e00-\u0e7f\u1000-\u109f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
TOKEN = re.compile(rf"[{CJK}]|[^\W{CJK}]+")

Found = dict[str, str | None]


def inforadar(html: str, url: str) -> Found:
    found = extract(html.encode("utf-8", "replace"), url, "text/html; charset=utf-8")
    if not isinstance(found, Extracted):
        return {}
    date = found.published_at.isoformat() if found.published_at else None
    return {"text": found.clean_text, "title": found.title, "date": date}


def trafilatura_default(html: str, url: str) -> Found:
    document = trafilatura.extract(html, url=url or None, with_metadata=True, output_format="json")
    found = json.loads(document) if document else {}
    # The JSON keeps comments apart; the default text output appends them.
    text = "\n".join(part for part in (found.get("text"), found.get("comments")) if part)
    return {"text": text, "title": found.get("title"), "date": found.get("date")}


def trafilatura_text(html: str, url: str) -> Found:
    return {"text": trafilatura.extract(html, url=url or None)}


def readability(html: str, url: str) -> Found:
    document = Document(html)
    return {"text": lxml.html.fromstring(document.summary()).text_content(), "title": document.short_title()}


EXTRACTORS: dict[str, Callable[[str, str], Found]] = {
    "inforadar": inforadar,
    "trafilatura": trafilatura_default,
    "trafilatura, text only": trafilatura_text,
    "readability-lxml": readability,
}


@dataclass(slots=True, kw_only=True)
class Tally:
    """The results of one extractor."""

    text: dict[str, list[float]] = field(default_factory=dict)
    title: list[bool] = field(default_factory=list)
    date: list[bool] = field(default_factory=list)
    seconds: float = 0.0
    slowest: tuple[float, str] = (0.0, "")
    crashes: int = 0


def load_corpus(folder: Path) -> Iterator[tuple[str, dict[str, Any], str]]:
    with gzip.open(folder / "truth.json.gz", "rt", encoding="utf-8") as file:
        truth = json.load(file)
    for page in sorted(truth):
        with gzip.open(
            folder / "pages" / f"{page}.html.gz", "rt", encoding="utf-8", errors="replace"
        ) as file:
            yield page, truth[page], file.read()


def shingles(text: str | None) -> Counter[tuple[str, ...]]:
    tokens = TOKEN.findall(unicodedata.normalize("NFC", text or "").lower())
    return Counter(tuple(tokens[i : i + 4]) for i in range(max(1, len(tokens) - 3))) if tokens else Counter()


def f1(found: Counter[tuple[str, ...]], truth: Counter[tuple[str, ...]]) -> float:
    if not truth:
        return float(not found)
    both = sum((found & truth).values())
    return 2 * both / (sum(found.values()) + sum(truth.values())) if both else 0.0


def fold(text: str | None) -> str:
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text or "").casefold()))


def days(value: str | None) -> set[str]:
    try:
        time_ = dt.datetime.fromisoformat(str(value).strip().replace("Z", "+00:00"))
    except ValueError:
        return set(re.findall(r"\d{4}-\d{2}-\d{2}", str(value)))
    return {time_.date().isoformat()} | (
        {time_.astimezone(dt.UTC).date().isoformat()} if time_.tzinfo else set()
    )


def measure(name: str, page: str, truth: dict[str, Any], html: str, tally: Tally) -> None:
    start = time.process_time()
    try:
        found = EXTRACTORS[name](html, truth.get("url") or "")
    except Exception:
        # A peer's crash counts as an empty answer, and the table shows the number of crashes.
        tally.crashes += 1
        found = {}
    spent = time.process_time() - start
    tally.seconds += spent
    tally.slowest = max(tally.slowest, (spent, page))
    score = f1(shingles(found.get("text")), shingles(truth["text"]))
    tally.text.setdefault(truth["set"], []).append(score)
    if truth.get("title"):
        tally.title.append(bool(found.get("title")) and fold(found.get("title")) == fold(truth["title"]))
    if truth.get("date"):
        tally.date.append(bool(days(found.get("date")) & days(truth["date"])))


def mean(values: list[Any]) -> float:
    return sum(values) / len(values) if values else float("nan")


def print_table(tallies: dict[str, Tally]) -> None:
    sets = sorted({name for tally in tallies.values() for name in tally.text})
    heads = ["extractor", *(f"F1 {name}" for name in sets), "title", "date", "pages/s", "slowest", "crashes"]
    rows = [heads]
    for name, tally in tallies.items():
        pages = sum(map(len, tally.text.values()))
        rows.append(
            [
                name,
                *(f"{mean(tally.text[key]):.4f}" for key in sets),
                f"{mean(tally.title):.3f}",
                f"{mean(tally.date):.3f}",
                f"{pages / tally.seconds:.0f}" if tally.seconds else "-",
                f"{tally.slowest[0]:.2f} s {tally.slowest[1]}",
                str(tally.crashes),
            ]
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    full, text = (speed_ratio(tallies, name) for name in ("trafilatura", "trafilatura, text only"))
    print(f"speed: {full:.2f} x trafilatura with metadata, {text:.2f} x trafilatura with text only")


def speed_ratio(tallies: dict[str, Tally], peer: str) -> float:
    return (
        tallies[peer].seconds / tallies["inforadar"].seconds if tallies["inforadar"].seconds else float("nan")
    )


def main(argv: list[str] | None = None) -> int:
    """Print the table; return 1 if Info Radar's text is worse than trafilatura's on any set."""
    parser = argparse.ArgumentParser(prog="bench extraction", description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path, required=True, help="folder with truth.json.gz and pages/")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every Nth page only")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    options = parser.parse_args(argv)
    tallies = {name: Tally() for name in EXTRACTORS}
    warm = (
        "<html><body>"
        + "<p>Some words that make a paragraph of text, long enough to count.</p>" * 9
        + "</body></html>"
    )
    for extractor in EXTRACTORS.values():
        extractor(warm, "https://example.com/a")
    for place, (page, truth, html) in enumerate(load_corpus(options.corpus)):
        if place % options.every == 0:
            for name, tally in tallies.items():
                measure(name, page, truth, html, tally)
    if options.json:
        report: dict[str, Any] = {name: summary(tally) for name, tally in tallies.items()}
        report["speed"] = {
            name: round(speed_ratio(tallies, name), 2) for name in ("trafilatura", "trafilatura, text only")
        }
        print(json.dumps(report))
    else:
        print_table(tallies)
    ours, theirs = tallies["inforadar"], tallies["trafilatura"]
    return int(any(mean(ours.text[name]) < mean(theirs.text[name]) for name in ours.text))


def summary(tally: Tally) -> dict[str, Any]:
    return {
        "f1": {name: round(mean(scores), 4) for name, scores in tally.text.items()},
        "title": round(mean(tally.title), 3),
        "date": round(mean(tally.date), 3),
        "cpu_seconds": round(tally.seconds, 2),
        "slowest_seconds": round(tally.slowest[0], 3),
        "crashes": tally.crashes,
    }


if __name__ == "__main__":
    raise SystemExit(main())
