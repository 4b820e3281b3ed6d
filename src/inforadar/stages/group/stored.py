"""Signatures in the form in which they are stored: JSON, with the weights that their words had."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from dataclasses import replace
from heapq import nlargest
from typing import Any

from inforadar.stages.group.copies import TextPrint
from inforadar.stages.group.signature import Signature, Vector
from inforadar.stages.group.similarity import MAX_TERMS
from inforadar.stages.group.tokens import STEM_CHARS
from inforadar.stages.group.vocabulary import Vocabulary, WordCount

_SCALE = 127.0


def signature_to_json(
    signature: Signature, text: TextPrint, address: str, vocabulary: Vocabulary
) -> dict[str, Any]:
    """The signature, its heaviest words only, with how many items had each word."""
    idf = vocabulary.idf
    words = dict(signature.words)
    if len(words) > MAX_TERMS:
        heavy = nlargest(MAX_TERMS, words, key=lambda key: (1 + math.log(words[key])) * idf(key))
        words = {key: words[key] for key in heavy}
    keys = {*words, *signature.title, *signature.numbers, *(name[:STEM_CHARS] for name in signature.capitals)}
    return {
        "title": dict(signature.title),
        "words": words,
        "names": {name: shown for name, shown in signature.capitals.items() if vocabulary.is_name(name)},
        "numbers": sorted(signature.numbers),
        "days": sorted(signature.days),
        "has_text": signature.has_text,
        "script": signature.script,
        "language": signature.language,
        "exact": text.exact,
        "bins": list(text.bins),
        "address": address,
        "counted": vocabulary.items,
        "counts": {
            key: round(count.items, 2)
            for key in sorted(keys)
            if (count := vocabulary.counts.get(key)) is not None
        },
    }


def signature_from_json(
    stored: Mapping[str, Any], vectors: str | None
) -> tuple[Signature, TextPrint, str, Vocabulary]:
    """Read a stored signature, its text's print, its address, and the counts of its words as they were."""
    signature = Signature(
        title=stored["title"],
        words=stored["words"],
        capitals=stored["names"],
        numbers=frozenset(stored["numbers"]),
        days=frozenset(stored["days"]),
        has_text=stored["has_text"],
        script=stored["script"],
        language=stored["language"],
    )
    if vectors:
        title, full = vectors_from_text(vectors)
        signature = replace(signature, title_vector=title, full_vector=full)
    counts = {key: WordCount(items=number) for key, number in stored["counts"].items()}
    for name in stored["names"]:
        counts[f"^{name}"] = WordCount(capital=1)
    return (
        signature,
        TextPrint(stored["exact"], tuple(stored["bins"])),
        stored["address"],
        Vocabulary(items=stored["counted"], counts=counts),
    )


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
