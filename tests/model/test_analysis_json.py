from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.errors import ParseError
from inforadar.model.analysis import Analysis, Score, ScoreName, from_json, to_json

_texts = st.text(max_size=20)
_scores = st.builds(
    Score,
    value=st.floats(0, 1),
    reason=_texts,
    words=st.lists(_texts, max_size=3).map(tuple),
)
analyses = st.builds(
    Analysis,
    **dict.fromkeys(("title", "title_reason", "description", "description_reason", "summary"), _texts),
    **dict.fromkeys(("category", "language", "model", "prompt_version"), _texts),
    facts=st.lists(_texts, max_size=3).map(tuple),
    **{name.value: _scores for name in ScoreName},
)


def _stored() -> dict[str, Any]:
    score = {"value": 0.5, "reason": "two loaded verbs", "words": ["slams"]}
    return {
        "title": "Minister answers critics",
        "title_reason": "a verb of violence dropped",
        "description": "",
        "description_reason": "",
        "summary": "",
        "facts": ["The vote is on Monday."],
        "scores": {name.value: dict(score) for name in ScoreName},
        "category": "politics",
        "language": "en",
        "model": "local-1",
        "prompt_version": "1",
    }


@given(analyses)
def test_what_is_written_is_read_back(analysis: Analysis) -> None:
    assert from_json(to_json(analysis)) == analysis


@given(analyses)
def test_what_is_written_survives_a_json_column(analysis: Analysis) -> None:
    assert from_json(json.loads(json.dumps(to_json(analysis)))) == analysis


def test_an_empty_object_means_not_analyzed_yet() -> None:
    assert from_json({}) is None


def test_the_keys_and_their_order_are_the_contract() -> None:
    analysis = from_json(_stored())
    assert analysis is not None
    assert json.dumps(to_json(analysis)) == json.dumps(_stored())


def test_a_score_of_zero_or_one_is_a_score() -> None:
    stored = _stored()
    stored["scores"]["framing"]["value"] = 0
    stored["scores"]["overall"]["value"] = 1
    analysis = from_json(stored)
    assert analysis is not None
    assert (analysis.framing.value, analysis.overall.value) == (0.0, 1.0)


def test_a_score_that_was_not_measured_is_null() -> None:
    stored = _stored()
    stored["scores"]["overall"]["value"] = None
    analysis = from_json(stored)
    assert analysis is not None
    assert (analysis.overall.value, analysis.overall.in_words) == (None, "not measured")
    assert to_json(analysis) == stored


@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan"), float("inf"), "0.5", True])
def test_a_score_out_of_range_or_of_another_type_is_refused(value: object) -> None:
    stored = _stored()
    stored["scores"]["clickbait"]["value"] = value
    with pytest.raises(ParseError, match="clickbait"):
        from_json(stored)


@pytest.mark.parametrize("name", [*_stored()])
def test_a_missing_field_is_refused_by_its_name(name: str) -> None:
    stored = _stored()
    del stored[name]
    with pytest.raises(ParseError, match=name):
        from_json(stored)


@pytest.mark.parametrize("name", ["facts", "title", "scores"])
def test_a_field_of_another_type_is_refused(name: str) -> None:
    stored = _stored()
    stored[name] = 7
    with pytest.raises(ParseError, match=name):
        from_json(stored)


def test_facts_that_are_no_texts_are_refused() -> None:
    with pytest.raises(ParseError, match="facts"):
        from_json({**_stored(), "facts": ["one", 2]})


def test_a_key_of_a_newer_version_does_no_harm() -> None:
    assert from_json({**_stored(), "stance": "for"}) == from_json(_stored())


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (0, "neutral"),
        (0.33, "neutral"),
        (0.34, "slanted"),
        (0.66, "slanted"),
        (0.67, "loaded"),
        (1, "loaded"),
    ],
)
def test_a_score_has_one_word_beside_its_number(value: float, label: str) -> None:
    assert Score(value=value, reason="").label == label
