"""The trained head: five calibrated scores and their overall combination from a sentence vector and rule features.

`model/head.npz` holds a few small networks with one hidden layer, whose outputs are averaged, and the calibration;
`model/head.json` says what they were trained on. Both are written by `python -m bench.train_local`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from inforadar.model.analysis import ScoreName
from inforadar.semantic import encoder
from inforadar.stages.analyze.local.features import rule_features
from inforadar.stages.analyze.local.lexicon import Lexicon
from inforadar.stages.analyze.local.marks import MarkModel
from inforadar.stages.analyze.local.passage import Passage

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.float32]

PARTS = (
    ScoreName.FRAMING,
    ScoreName.CLICKBAIT,
    ScoreName.PERSUASIVE,
    ScoreName.HYPER_STIMULUS,
    ScoreName.SPECULATIVE,
)
"""The scores that the head was trained for: the columns of what `Network.logits` returns."""
SENTENCES, TITLES = 0, 1
"""The rows of `Head.combination`."""
VECTOR_SCALE = 10.0
"""Vectors have length 1, so each number in them is small beside the rule features."""
_FOLDER = resources.files("inforadar.stages.analyze.local") / "model"
_MAX_LOGIT = 30.0
_FULL_STOPS = (".", "。", "۔", "।")


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """Small networks of the same shape, evaluated together."""

    mean: Numbers
    scale: Numbers
    hidden: Numbers
    """Network × input × hidden unit."""
    hidden_bias: Numbers
    output: Numbers
    output_bias: Numbers

    def logits(self, inputs: Numbers) -> Numbers:
        """Return the mean output of all networks: one row per input, one column per part."""
        import numpy  # noqa: PLC0415 - an extra

        inputs = (inputs - self.mean) / self.scale
        units = numpy.maximum(inputs @ self.hidden + self.hidden_bias[:, None, :], 0.0)
        found: Numbers = (units @ self.output + self.output_bias[:, None, :]).mean(axis=0)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A network with its calibration."""

    network: Network
    calibration: Numbers
    """Part × (slope, shift): Platt scaling, fitted on texts that the network had not seen."""
    title_calibration: Numbers
    """The same for titles without a full stop, fitted on titles: loaded ones are more common among them."""
    combination: Numbers
    """How the overall score follows from the parts' calibrated logits, see `combined`: a row for sentences, one for
    titles."""
    marks: MarkModel

    def calibrated(self, raw: Numbers, title: str) -> Numbers:
        """Calibrate what the network says: the first row is of the title, the others of sentences."""
        found: Numbers = raw * self.calibration[:, 0] + self.calibration[:, 1]
        if _is_title(title):
            found[0] = raw[0] * self.title_calibration[:, 0] + self.title_calibration[:, 1]
        return found

    def overall(self, logits: Numbers, title: str) -> Numbers:
        """Combine calibrated logits to the logit of the overall score, row by row; the first row is of the title."""
        found = combined(logits, self.combination[SENTENCES])
        if _is_title(title):
            found[:1] = combined(logits[:1], self.combination[TITLES])
        return found


def combined(logits: Numbers, weights: Numbers) -> Numbers:
    """Combine the parts' logits, row by row.

    Each part has two weights: of its logit, and of its logit above 0, by which it counts only where it is likely; a
    headline without guesses is not more neutral for that. The last weight is the shift.
    """
    import numpy  # noqa: PLC0415 - an extra

    both = numpy.hstack([logits, numpy.maximum(logits, 0.0)])
    found: Numbers = both @ weights[:-1] + weights[-1]
    return found


def _is_title(line: str) -> bool:
    return not line.rstrip().endswith(_FULL_STOPS)


def inputs_for(passages: Sequence[Passage], lexicon: Lexicon) -> Numbers:
    """Return the head's input: one row per passage, its vector and then its rule features."""
    import numpy  # noqa: PLC0415 - an extra

    vectors = encoder.vectors([passage.text for passage in passages])
    rules = numpy.array([rule_features(passage, lexicon) for passage in passages], dtype=numpy.float32)
    return numpy.concatenate([vectors * VECTOR_SCALE, rules], axis=1)


def probability(logit: Numbers) -> Numbers:
    """The value of a score between 0 and 1."""
    import numpy  # noqa: PLC0415 - an extra

    limited = numpy.clip(logit, -_MAX_LOGIT, _MAX_LOGIT)
    found: Numbers = (1 / (1 + numpy.exp(-limited))).astype(numpy.float32)
    return found


@cache
def description() -> dict[str, Any]:
    """Return the description of the head's training; `languages` are those whose scores are measured."""
    found: dict[str, Any] = json.loads((_FOLDER / "head.json").read_text(encoding="utf-8"))
    return found


@cache
def load_head() -> Head:
    """Load the trained head, once per process."""
    import numpy  # noqa: PLC0415 - an extra

    with (_FOLDER / "head.npz").open("rb") as file, numpy.load(file, allow_pickle=False) as stored:
        arrays = {name: stored[name].astype(numpy.float32) for name in stored.files}
    marks = MarkModel(arrays.pop("mark_vector"), arrays.pop("mark_context"))
    rest = {name: arrays.pop(name) for name in ("calibration", "title_calibration", "combination")}
    return Head(network=Network(**arrays), marks=marks, **rest)
