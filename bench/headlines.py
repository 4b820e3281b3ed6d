"""Neutral titles on the repository's headlines: `python -m bench headlines`.

Counts, by language: neutral headlines that were changed, loaded headlines left as they were, titles that contradict
nothing checkable (a number that neither title nor text has), and titles equal to an accepted one. Whether a title is
grammatical or means the same has to be read by a person; `--print` lists all changed titles for that. `--fit` fits how
much each piece of evidence for a sentence counts, and measures it language by language on the others.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.labelled import DATA
from bench.logistic import fit_logistic
from inforadar.model.analysis import Subject
from inforadar.semantic import encoder
from inforadar.stages.analyze.local.analyzer import analyze_subject
from inforadar.stages.analyze.local.extract import sentences_in
from inforadar.stages.analyze.local.lexicon import lexicon_for
from inforadar.stages.analyze.local.passage import read_passage
from inforadar.stages.analyze.local.text import sentences_of
from inforadar.stages.analyze.local.titles import MIN_PROBABILITY, Evidence, weigh_sentences

_NUMBER = re.compile(r"\d+")
_SAME, _OTHER = 0.62, 0.5
"""The likeness of a sentence to an accepted title from which it says the same, and below which something else."""


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


def read_rows() -> dict[str, list[dict[str, Any]]]:
    return {
        file.stem: [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for file in sorted((DATA / "headlines").glob("*.jsonl"))
    }


def fit(by_language: dict[str, list[dict[str, Any]]]) -> None:
    """Fit the weights of `Evidence`: a sentence is right if it is nearly one of the accepted titles."""
    found: list[tuple[str, str, Evidence, float]] = []
    for language, rows in by_language.items():
        lexicon = lexicon_for(language)
        for row in rows:
            if row["is_loaded"]:
                accepted = encoder.vectors(row["accepted"])
                sentences = sentences_in(
                    read_passage(row["text"], lexicon), sentences_of(row["text"]), lexicon
                )
                for sentence, evidence in weigh_sentences(
                    read_passage(row["title"], lexicon), lexicon, sentences
                ):
                    nearness = float((accepted @ encoder.vectors([sentence.text])[0]).max())
                    found.append((language, row["id"], evidence, nearness))

    def weights_from(chosen: Sequence[tuple[str, str, Evidence, float]]) -> NDArray[Any]:
        labels = np.array([nearness >= _SAME for *_, nearness in chosen], dtype=float)
        inputs = np.array([evidence for _, _, evidence, _ in chosen])
        return fit_logistic(inputs, labels, np.ones(len(chosen)), np.ones(len(Evidence._fields)))

    everything = weights_from(found)
    print(f"  weights {dict(zip(Evidence._fields, everything.round(2).tolist(), strict=False))}")
    print(f"  shift {everything[-1]:.2f}")
    picked: dict[str, tuple[float, float]] = {}
    for language in by_language:
        fitted = weights_from([one for one in found if one[0] != language])
        for other, title, evidence, nearness in found:
            if other == language:
                logit = float(np.dot(fitted[:-1], evidence) + fitted[-1])
                picked[title] = max(picked.get(title, (-99.0, 0.0)), (logit, nearness))
    for share in (0.3, MIN_PROBABILITY, 0.5):
        sure = [nearness for logit, nearness in picked.values() if 1 / (1 + np.exp(-logit)) >= share]
        far = sum(nearness < _OTHER for nearness in sure)
        print(f"  probability {share}: {len(sure)} of {len(picked)} titles, {far} with a distant sentence")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--print", action="store_true", help="list the changed titles")
    parser.add_argument("--fit", action="store_true", help="fit the choice of sentences instead")
    options = parser.parse_args(argv)
    if options.fit:
        fit(read_rows())
        return 0
    total: dict[str, int] = {}
    for language, rows in read_rows().items():
        counts = measure(rows, is_printed=options.print)
        print(f"  {language}  " + ", ".join(f"{name} {count}" for name, count in counts.items()))
        total = {name: total.get(name, 0) + count for name, count in counts.items()}
    print("  all " + ", ".join(f"{name} {count}" for name, count in total.items()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
