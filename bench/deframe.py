"""The quality of the local analyzer: `python -m bench.deframe --corpus FOLDER`.

Clickbait is measured on kinds of headlines that the model has not seen: English by form and source at once (a model
that never saw lists or the press is tested on lists against the press), Spanish by medium, and across languages with
the features that do not depend on words. The shipped model was trained on all of it, so a random split or the training
corpus itself would only show that it remembers. For the other scores there are no labels that may be used; the table
shows how they are distributed over the two classes, which is no measure of truth. If you have labels, measure any score
with `--labels FILE`: tab-separated, with the header `score language label text`; the label is 0 or 1, and a long text
counts as an article's text, not as its title.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from bench.deframe_corpora import read_clickbait16, read_ta1c
from bench.linear import Linear, auc, best_f1, calibrated, ece, logistic, macro_f1
from bench.train_rules import Corpus, english_held_out, held_out_english, held_out_scores
from inforadar.model.analysis import ScoreName, Subject
from inforadar.stages.analyze.local.analyzer import analyze_subject
from inforadar.stages.analyze.local.text import MAX_TITLE_CHARS_READ

_SPEED_TEXT = (
    "The council approved the budget for next year on Tuesday, the mayor said. It spends 3.2 million on "
    "roads, 9 percent more than before. Critics called the plan reckless and warned that taxes could rise. "
)


def _row(name: str, scores: Sequence[float], labels: Sequence[int], shift: float = 0.0) -> None:
    probabilities = [logistic(score + shift) for score in scores]
    print(
        f"  {name:<38} {len(labels):>7} {auc(scores, labels):>7.3f}"
        f" {macro_f1(probabilities, labels):>9.3f} {ece(probabilities, labels):>6.3f}"
    )


def _shift(scores: Sequence[float], labels: Sequence[int]) -> float:
    """Show the effect of calibration, fitted on all held-out scores together."""
    return calibrated(Linear(bias=0.0, weights={}), scores, labels, sum(labels) / len(labels)).bias


def clickbait_table(corpus: Corpus, spanish: Corpus) -> None:
    print(f"Clickbait, held out                        {'items':>7} {'AUC':>7} {'macro-F1':>9} {'ECE':>6}")
    models = held_out_english(corpus, spanish)
    scores, labels = english_held_out(corpus, models)
    shift = _shift(scores, labels)
    for (form, source), model in models.items():
        part = [number for number, group in enumerate(corpus.groups) if group in (form, source)]
        _row(
            f"English: unseen {form} and {source}",
            [model.score(corpus.features[number]) for number in part],
            [corpus.labels[number] for number in part],
            shift,
        )
    _row("English: all of these", scores, labels, shift)
    _row(
        "Spanish: unseen medium (18 folds)",
        held_out_scores(spanish, lambda without: spanish.fit(without=without)),
        spanish.labels,
    )
    for learned, tested, name in (
        (spanish, corpus, "English, signs learned in Spanish"),
        (corpus, spanish, "Spanish, signs learned in English"),
    ):
        model = learned.fit(signs=True)
        scores = [model.score(sample) for sample in tested.features]
        _row(name, scores, tested.labels, _shift(scores, tested.labels))


def spread_table(corpora: Sequence[Corpus], every: int) -> None:
    names = list(ScoreName)
    print(f"\nMedian scores of titles alone              {''.join(f'{name:>16}' for name in names)}")
    for corpus in corpora:
        for label, word in ((0, "plain"), (1, "clickbait")):
            chosen = [headline for headline in corpus.headlines if headline.label == label][::every]
            analyses = [
                analyze_subject(Subject(url="", title=headline.text, description="", text=""))
                for headline in chosen
            ]
            medians = (
                statistics.median(analysis.score(name).value or 0.0 for analysis in analyses)
                for name in names
            )
            print(f"  {corpus.language} {word:<37} {''.join(f'{value:>16.2f}' for value in medians)}")


def labelled_table(file: Path) -> None:
    """Measure the shipped analyzer on each score and language that the file has labels for."""
    csv.field_size_limit(10_000_000)
    found: dict[tuple[str, str], list[tuple[float, int]]] = {}
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            text = row["text"]
            as_title = len(text) <= MAX_TITLE_CHARS_READ
            subject = Subject(
                url="", title=text if as_title else "", description="", text="" if as_title else text,
                language=row["language"],
            )  # fmt: skip
            value = analyze_subject(subject).score(ScoreName(row["score"])).value
            if value is not None:
                found.setdefault((row["score"], row["language"]), []).append((value, int(row["label"])))
    print(f"\nScores on {file.name:<32} {'items':>7} {'AUC':>7} {'best F1':>8} {'at':>5} {'ECE':>6}")
    for (score, language), pairs in sorted(found.items()):
        values, labels = [value for value, _ in pairs], [label for _, label in pairs]
        best, threshold = best_f1(values, labels)
        print(
            f"  {score + ', ' + language:<38} {len(labels):>7} {auc(values, labels):>7.3f}"
            f" {best:>8.3f} {threshold:>5.2f} {ece(values, labels):>6.3f}"
        )


def speed() -> None:
    text = _SPEED_TEXT * 20
    subjects = [
        Subject(url="", title=f"Council approves budget {number}", description="", text=f"{number} {text}")
        for number in range(200)
    ]
    analyze_subject(subjects[0])
    taken = []
    for subject in subjects:
        start = time.process_time()
        analyze_subject(subject)
        taken.append(time.process_time() - start)
    each = statistics.median(taken)
    print(f"\nSpeed: {1 / each:.0f} analyses/s a core, {each * 1000:.1f} ms for {len(text)} characters")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--corpus", type=Path, help="folder with clickbait16/ and ta1c/; without it only speed"
    )
    parser.add_argument("--labels", type=Path, help="labelled texts of your own, see above")
    options = parser.parse_args(argv)
    if options.corpus:
        corpus = Corpus(read_clickbait16(options.corpus), "en")
        spanish = Corpus(read_ta1c(options.corpus), "es")
        clickbait_table(corpus, spanish)
        spread_table((corpus, spanish), every=20)
    if options.labels:
        labelled_table(options.labels)
    speed()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
