"""Signatures in the form in which they are stored: JSON, with the weights that their words had."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from inforadar.stages.group.copies import TextPrint
from inforadar.stages.group.signature import Signature, Vector
from inforadar.stages.group.similarity import Weighed, weigh, years_of
from inforadar.stages.group.vocabulary import Vocabulary, WordCount

_SCALE = 127.0
_DECIMALS = 4


def weighed_to_json(weighed: Weighed, text: TextPrint, address: str) -> dict[str, Any]:
    """Store the words with their present weights, so that loading an item needs no arithmetic."""
    signature = weighed.signature
    return {
        # Words without any weight count as words of the title.
        "title": _rounded({key: weighed.title.get(key, 0.0) for key in signature.title}),
        "words": _rounded(weighed.words),
        "names": _rounded(weighed.names),
        "focus": _rounded(weighed.focus),
        "numbers": _rounded(weighed.numbers),
        "written": {name: signature.capitals[name] for name in weighed.names},
        "name_mass": round(weighed.name_mass, _DECIMALS),
        "word_mass": round(weighed.word_mass, _DECIMALS),
        "days": sorted(signature.days),
        "has_text": signature.has_text,
        "script": signature.script,
        "language": signature.language,
        "exact": text.exact,
        "bins": list(text.bins),
        "address": address,
    }


def _rounded(weights: Mapping[str, float]) -> dict[str, float]:
    return {key: round(weight, _DECIMALS) for key, weight in weights.items()}


def weighed_from_json(stored: Mapping[str, Any], vectors: str | None) -> tuple[Weighed, TextPrint, str]:
    """Read what an item is compared by, its text's print and its address."""
    title, full = vectors_from_text(vectors) if vectors else (None, None)
    is_weighed = "word_mass" in stored
    signature = Signature(
        title=stored["title"],
        words=stored["words"],
        capitals=stored["written" if is_weighed else "names"],
        numbers=frozenset(stored["numbers"]),
        days=frozenset(stored["days"]),
        has_text=stored["has_text"],
        script=stored["script"],
        language=stored["language"],
        title_vector=title,
        full_vector=full,
    )
    text = TextPrint(stored["exact"], tuple(stored["bins"]))
    if not is_weighed:
        return weigh(signature, _counts_of(stored)), text, stored["address"]
    weighed = Weighed(
        signature,
        stored["words"],
        stored["title"],
        stored["names"],
        stored["focus"],
        stored["numbers"],
        stored["name_mass"],
        stored["word_mass"],
        years_of(stored["numbers"]),
    )
    return weighed, text, stored["address"]


def _counts_of(stored: Mapping[str, Any]) -> Vocabulary:
    """The counts of an item's words, as they were stored before their weights were."""
    counts = {key: WordCount(items=number) for key, number in stored["counts"].items()}
    for name in stored["names"]:
        counts[f"^{name}"] = WordCount(capital=1)
    return Vocabulary(items=stored["counted"], counts=counts)


def vectors_to_text(title: Vector, full: Vector) -> str:
    """Both vectors as text, a byte for each number."""
    import numpy as np  # noqa: PLC0415 - only there with the extra that makes vectors

    packed = np.clip(np.rint(np.concatenate([title, full]) * _SCALE * 4), -127, 127).astype(np.int8)
    return base64.b64encode(packed.tobytes()).decode()


def vectors_from_text(stored: str) -> tuple[Vector, Vector]:
    """Unpack two vectors, each of length 1 again."""
    import numpy as np  # noqa: PLC0415 - only there with the extra that makes vectors

    both = np.frombuffer(base64.b64decode(stored), dtype=np.int8).astype(np.float32).reshape(2, -1)
    both /= np.maximum(np.linalg.norm(both, axis=1, keepdims=True), 1e-6)
    return both[0], both[1]
