"""Train the local analyzer: `python -m bench.train_local [--corpora FOLDER]`.

Without a folder, the head is trained on the labelled texts of this repository alone. The released weights were trained
with the folder's `slavic/`, `ta1c/` and `clickbait16/` (all MIT) too; with the last two, the clickbait model of the
rules is trained as well. Deterministic: the same texts and word lists give the same files. It takes about two minutes.

Calibration and figures come from a cross-validation in which no pair, article or newspaper is in both halves.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import train_marks, train_rules
from bench.labelled import FOLDS, Labelled, read_all, read_headlines
from bench.linear import auc, ece
from bench.logistic import fit_logistic
from bench.network import train
from inforadar.model.analysis import ScoreName
from inforadar.semantic import encoder
from inforadar.stages.analyze.local.head import (
    PARTS,
    SENTENCES,
    TITLES,
    Network,
    combined,
    inputs_for,
    probability,
)
from inforadar.stages.analyze.local.lexicon import lexicon_for
from inforadar.stages.analyze.local.measured import SLANTED
from inforadar.stages.analyze.local.passage import Passage, read_passage
from inforadar.stages.analyze.local.text import MAX_TITLE_CHARS_READ

Array = NDArray[Any]

MODEL = Path(__file__).parent.parent / "src/inforadar/stages/analyze/local/model"
VERSION = 2
SEEDS = range(4)
CHECKING_SEEDS = range(2)
TITLE_SHARES = {ScoreName.FRAMING: 0.4, ScoreName.PERSUASIVE: 0.2}
"""The shares of loaded titles that the calibration of titles assumes: more are framed than among sentences, less than
half, and half of these push for a view."""
PERSUASION_SHARES = (0.0, 0.25, 0.5)
GUESS_WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
STIMULUS_WEIGHTS = (0.0, 0.1, 0.25, 0.5)
"""What `combine` tries: how much of framing's weight persuasion takes, at most half, and how much a likely guess and a
likely stimulus add."""
_BATCH = 64


def read_texts(rows: Sequence[Labelled]) -> list[Passage]:
    return [read_passage(row.text[:MAX_TITLE_CHARS_READ], lexicon_for(row.language)) for row in rows]


def read_inputs(rows: Sequence[Labelled]) -> Array:
    """Return the head's input for each row; rows of one language are encoded together."""
    passages = read_texts(rows)
    found: list[Array] = [np.empty(0)] * len(rows)
    for language in sorted({row.language for row in rows}):
        places = [place for place, row in enumerate(rows) if row.language == language]
        for start in range(0, len(places), _BATCH):
            chunk = places[start : start + _BATCH]
            inputs = inputs_for([passages[place] for place in chunk], lexicon_for(language))
            for place, numbers in zip(chunk, inputs, strict=True):
                found[place] = numbers
    return np.array(found)


def labels_of(rows: Sequence[Labelled]) -> tuple[Array, Array]:
    """Return labels and weights, one column per part; weight 0 where a row has no label."""
    labels, weights = np.zeros((len(rows), len(PARTS))), np.zeros((len(rows), len(PARTS)))
    for place, row in enumerate(rows):
        for column, part in enumerate(PARTS):
            if part in row.labels:
                labels[place, column] = row.labels[part]
                weights[place, column] = row.weight.get(part, 1.0)
    return labels, weights


def source_weights(rows: Sequence[Labelled]) -> Array:
    """Let large sets count more than small ones, but not in proportion."""
    sizes = {source: sum(row.source == source for row in rows) for source in {row.source for row in rows}}
    return np.array([1 / np.sqrt(sizes[row.source]) for row in rows]) * 50


def calibrate(rows: Sequence[Labelled], raw: Array, labels: Array, weights: Array) -> Array:
    """Fit slope and shift of each part on raw logits that the network gave to unseen texts."""
    found = []
    for column in range(len(PARTS)):
        known = np.flatnonzero(weights[:, column])
        some = [rows[place] for place in known]
        found.append(
            fit_logistic(
                raw[known, column : column + 1], labels[known, column], source_weights(some), np.zeros(1)
            )
        )
    return np.array(found)


def calibrate_titles(
    rows: Sequence[Labelled], raw: Array, labels: Array, weights: Array, calibration: Array
) -> Array:
    """Fit slope and shift of framing and persuasion on titles, as if `TITLE_SHARES` of all titles were loaded."""
    found = calibration.copy()
    for part, assumed in TITLE_SHARES.items():
        column = PARTS.index(part)
        known = [place for place in np.flatnonzero(weights[:, column]) if rows[place].is_title]
        truth = labels[known, column]
        share = np.where(truth == 1, assumed / truth.sum(), (1 - assumed) / (1 - truth).sum())
        found[column] = fit_logistic(raw[known, column : column + 1], truth, share * len(known), np.zeros(1))
    return found


def combine(rows: Sequence[Labelled], logits: Array) -> Array:
    """Fit how the parts make the overall score, for sentences and titles apart; no part counts against it."""
    labels = np.array([row.is_any for row in rows], dtype=float)
    found: list[Array] = [np.empty(0)] * 2
    for form in (SENTENCES, TITLES):
        by_source = {
            source: [
                place
                for place, row in enumerate(rows)
                if row.source == source and row.is_title is (form == TITLES)
            ]
            for source in ("own", "slavic")
        }
        known = [place for places in by_source.values() for place in places]
        weights = max(
            _tried_weights(),
            key=lambda weights: min(
                _lead(logits[places], labels[places], weights) for places in by_source.values() if places
            ),
        )
        slope, shift = fit_logistic(
            combined(logits[known], weights)[:, None],
            labels[known],
            source_weights([rows[place] for place in known]),
            np.zeros(1),
        )
        found[form] = np.append(weights[:-1] * slope, shift)
    return np.array(found)


def _tried_weights() -> Iterator[Array]:
    count = len(PARTS)
    for persuasion, guess, stimulus in product(PERSUASION_SHARES, GUESS_WEIGHTS, STIMULUS_WEIGHTS):
        weights = np.zeros(2 * count + 1)
        weights[PARTS.index(ScoreName.FRAMING)] = 1 - persuasion
        weights[PARTS.index(ScoreName.PERSUASIVE)] = persuasion
        weights[count + PARTS.index(ScoreName.SPECULATIVE)] = guess
        weights[count + PARTS.index(ScoreName.HYPER_STIMULUS)] = stimulus
        yield weights


def _lead(logits: Array, labels: Array, weights: Array) -> float:
    """By how much the combination ranks better than the best of its parts."""
    truth = labels.astype(int).tolist()
    return auc(combined(logits, weights).tolist(), truth) - max(
        auc(column.tolist(), truth) for column in logits.T
    )


def cross_validate(
    rows: Sequence[Labelled], inputs: Array, labels: Array, weights: Array
) -> tuple[Array, list[Network]]:
    """Return raw logits of each row, given by a network that saw no text of its group; and the networks by fold."""
    folds = np.array([row.fold for row in rows])
    raw = np.zeros((len(rows), len(PARTS)))
    networks = []
    for fold in range(FOLDS):
        seen = folds != fold
        network = train(inputs[seen], labels[seen], weights[seen], CHECKING_SEEDS)
        raw[~seen] = network.logits(inputs[~seen])
        networks.append(network)
    return raw, networks


def figures(rows: Sequence[Labelled], logits: Array, overall: Array) -> list[dict[str, Any]]:
    """Measure every score on every set and language that has labels for it."""
    found = []
    columns = {**{part: logits[:, column] for column, part in enumerate(PARTS)}, ScoreName.OVERALL: overall}
    for score, values in columns.items():
        by_set: dict[tuple[str, str], list[tuple[float, int]]] = {}
        for row, value in zip(rows, probability(values).tolist(), strict=True):
            label = (
                row.is_any
                if score is ScoreName.OVERALL and row.source != "headlines"
                else row.labels.get(score)
            )
            if label is not None:
                by_set.setdefault((row.source, row.language), []).append((value, label))
        for (source, language), pairs in sorted(by_set.items()):
            estimates, truth = [value for value, _ in pairs], [label for _, label in pairs]
            if 0 < sum(truth) < len(truth):
                found.append(
                    {
                        "score": score.value, "set": source, "language": language, "texts": len(pairs),
                        "auc": round(auc(estimates, truth), 3), "ece": round(ece(estimates, truth), 3),
                    }
                )  # fmt: skip
    return found


def overall_beside_parts(
    rows: Sequence[Labelled], logits: Array, overall: Array
) -> dict[str, dict[str, float]]:
    """Measure by set how the overall score ranks, and the part that ranks best there; languages together."""
    found = {}
    for source in ("own", "slavic", "headlines"):
        places = [place for place, row in enumerate(rows) if row.source == source]
        truth = [rows[place].is_any for place in places]
        if places:
            found[source] = {
                "overall": round(auc(overall[places].tolist(), truth), 4),
                "best_part": round(max(auc(column[places].tolist(), truth) for column in logits.T), 4),
            }
    return found


def train_head(corpora: Path | None, out: Path) -> None:
    rows = read_all(corpora)
    headlines = list(read_headlines())
    inputs, unseen = read_inputs(rows), read_inputs(headlines)
    labels, weights = labels_of(rows)
    raw, networks = cross_validate(rows, inputs, labels, weights)
    calibration = calibrate(rows, raw, labels, weights)
    title_calibration = calibrate_titles(rows, raw, labels, weights, calibration)
    is_title = np.array([row.is_title for row in rows])[:, None]
    logits = np.where(
        is_title,
        raw * title_calibration[:, 0] + title_calibration[:, 1],
        raw * calibration[:, 0] + calibration[:, 1],
    )
    combination = combine(rows, logits)
    framing, stimulus = PARTS.index(ScoreName.FRAMING), PARTS.index(ScoreName.HYPER_STIMULUS)
    border = np.log(SLANTED / (1 - SLANTED))
    words = train_marks.collect(
        {row.text: float(logits[place, framing]) for place, row in enumerate(rows)},
        {
            row.text: bool(max(logits[place, framing], logits[place, stimulus]) >= border)
            for place, row in enumerate(rows)
        },
    )
    mark_weights = train_marks.fit(words, np.ones(len(words.labels), dtype=bool))
    network = train(inputs, labels, weights, SEEDS)
    unseen_logits = network.logits(unseen) * title_calibration[:, 0] + title_calibration[:, 1]
    overall = np.where(
        is_title[:, 0], combined(logits, combination[TITLES]), combined(logits, combination[SENTENCES])
    )
    everything = [*rows, *headlines]
    all_logits = np.vstack([logits, unseen_logits])
    all_overall = np.concatenate([overall, combined(unseen_logits, combination[TITLES])])
    measured = figures(everything, all_logits, all_overall)
    small = {
        "calibration": calibration, "title_calibration": title_calibration, "combination": combination,
        "mark_vector": mark_weights[: encoder.DIMENSIONS], "mark_context": mark_weights[encoder.DIMENSIONS :],
    }  # fmt: skip
    _write(out, network, small)
    document = {
        "version": VERSION,
        "encoder": f"{encoder.PACKAGE} {encoder.VERSION}",
        "languages": sorted({row.language for row in rows if ScoreName.FRAMING in row.labels}),
        "trained_on": {
            source: sum(row.source == source for row in rows) for source in sorted({r.source for r in rows})
        },
        "marks": train_marks.measure(words, networks),
        "overall": overall_beside_parts(everything, all_logits, all_overall),
        "figures": measured,
    }
    (out / "head.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"{'score':<16}{'set':<13}{'language':<9}{'texts':>7}{'AUC':>8}{'ECE':>8}")
    for figure in measured:
        print(
            f"{figure['score']:<16}{figure['set']:<13}{figure['language']:<9}{figure['texts']:>7}"
            f"{figure['auc']:>8.3f}{figure['ece']:>8.3f}"
        )
    print(f"marks = {document['marks']}")
    print(f"overall beside the best part = {document['overall']}")
    stored = (out / "head.npz").read_bytes()
    for form, weights in zip(("sentences", "titles"), combination.round(2).tolist(), strict=True):
        print(f"overall of {form} = {weights}")
    print(f"head.npz: {len(stored) / 1000:.0f} KB, sha256 {hashlib.sha256(stored).hexdigest()[:16]}")


def _write(out: Path, network: Network, small: dict[str, Array]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    arrays = {
        "mean": network.mean, "scale": network.scale, "hidden": network.hidden, "hidden_bias": network.hidden_bias,
        "output": network.output, "output_bias": network.output_bias, **small,
    }  # fmt: skip
    # numpy stamps no time into the archive, so equal numbers give equal bytes.
    np.savez(out / "head.npz", **{name: array.astype(np.float16) for name, array in arrays.items()})


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--corpora", type=Path, help="folder with slavic/, ta1c/ and clickbait16/, each optional"
    )
    parser.add_argument("--out", type=Path, default=MODEL, help="where to write the weights")
    options = parser.parse_args(argv)
    corpora = options.corpora
    if corpora and (corpora / "clickbait16").is_dir() and (corpora / "ta1c").is_dir():
        train_rules.train_clickbait(corpora, options.out / "clickbait.json")
    train_head(corpora, options.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
