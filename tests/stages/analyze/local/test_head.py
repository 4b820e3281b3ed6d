"""The trained head: what it was measured with, and how its parts make the overall score."""

from __future__ import annotations

import numpy as np
import pytest

from inforadar.stages.analyze.local.head import PARTS, SENTENCES, TITLES, combined, description, load_head


def test_the_overall_score_ranks_at_least_as_well_as_its_best_part_on_every_set() -> None:
    by_set = description()["overall"]
    assert by_set.keys() == {"own", "slavic", "headlines"}
    assert [name for name, found in by_set.items() if found["overall"] < found["best_part"]] == []


def test_no_part_counts_against_the_overall_score() -> None:
    assert (load_head().combination[:, :-1] >= 0).all()


def test_a_likely_part_raises_the_overall_score_and_an_unlikely_one_does_not_lower_it() -> None:
    weights = np.zeros(2 * len(PARTS) + 1)
    weights[0], weights[len(PARTS) + 4], weights[-1] = 1.0, 0.5, -1.0
    logits = np.array([[1.0, 0.0, 0.0, 0.0, -3.0], [1.0, 0.0, 0.0, 0.0, 2.0]])
    assert combined(logits, weights).tolist() == [0.0, 1.0]


def test_only_a_first_line_without_a_full_stop_is_combined_as_a_title() -> None:
    head = load_head()
    logits = np.full((2, len(PARTS)), 1.0, dtype=np.float32)
    sentence, title = (combined(logits, head.combination[form])[0] for form in (SENTENCES, TITLES))
    assert sentence != title
    assert head.overall(logits, "A headline").tolist() == pytest.approx([title, sentence])
    assert head.overall(logits, "A sentence.").tolist() == pytest.approx([sentence, sentence])
