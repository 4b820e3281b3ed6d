"""The choice of a feed's analyzer, its key and its endpoint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inforadar.config import AiSettings
from inforadar.errors import ConfigError
from inforadar.model.analysis import AnalyzerName
from inforadar.model.feed_options import parse_options
from inforadar.stages.analyze import ANALYZERS
from inforadar.stages.analyze.base import Analyzer
from inforadar.stages.analyze.choose import Analyzers
from inforadar.stages.analyze.llm.dialogue import ModelAnalyzer

DEFAULT_MODELS = {name: found.default_model for name, found in ANALYZERS.items() if found.default_model}


def pick(home: Path, options: dict[str, Any] | None = None, **settings: Any) -> Analyzer | None:
    return Analyzers(AiSettings.read(settings), home).pick(parse_options(options))


def asking(home: Path, options: dict[str, Any] | None = None, **settings: Any) -> ModelAnalyzer:
    picked = pick(home, options, **settings)
    assert isinstance(picked, ModelAnalyzer)
    return picked


def test_the_default_needs_nothing(tmp_path: Path) -> None:
    picked = pick(tmp_path)
    assert picked is not None
    assert picked.name == "local"


def test_a_feed_can_refuse(tmp_path: Path) -> None:
    assert pick(tmp_path, {"analyze": False}) is None
    assert pick(tmp_path, {"analyze": True}) is not None


@pytest.mark.parametrize("name", DEFAULT_MODELS)
def test_a_key_is_enough_for_a_vendor(tmp_path: Path, name: AnalyzerName) -> None:
    picked = asking(tmp_path, type=name, api_key="k")
    assert (picked.name, picked.model) == (name, DEFAULT_MODELS[name])
    assert (picked.access.api_key, picked.access.base_url) == ("k", "")


def test_a_feed_names_model_and_prompt(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "mine.md").write_text("---\nversion: 3\n---\nBe kind.")
    settings = {"type": "openai", "api_key": "k", "model": "usual"}
    picked = asking(tmp_path, {"model": "other", "prompt": "mine"}, **settings)
    assert picked.model == "other"
    assert picked.prompt_version.startswith("mine-3.")
    assert asking(tmp_path, {"model": "", "prompt": None}, **settings).model == "usual"


def test_another_vendor_gets_its_own_key_and_address(tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "type": "openai",
        "api_key": "openai-key",
        "base_url": "http://127.0.0.1:9/v1",
        "model": "local-llama",
        "anthropic_api_key": "anthropic-key",
    }
    picked = asking(tmp_path, {"analyzer": "anthropic"}, **settings)
    assert (picked.access.api_key, picked.access.base_url) == ("anthropic-key", "")
    assert picked.model == DEFAULT_MODELS[AnalyzerName.ANTHROPIC]
    with pytest.raises(ConfigError, match="set AI_GEMINI_API_KEY"):
        pick(tmp_path, {"analyzer": "gemini"}, **settings)


def test_the_same_choice_is_made_once(tmp_path: Path) -> None:
    analyzers = Analyzers(AiSettings.read({"type": "openai", "api_key": "k", "model": "m"}), tmp_path)
    assert analyzers.pick(parse_options({})) is analyzers.pick(parse_options({"model": "m"}))
    assert analyzers.pick(parse_options({})) is not analyzers.pick(parse_options({"model": "n"}))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"type": "openai"}, "AI_API_KEY, or AI_BASE_URL to use your own endpoint"),
        ({"type": "gemini"}, "AI_API_KEY"),
        ({"type": "openai", "base_url": "http://127.0.0.1:9/v1"}, "AI_MODEL"),
        ({"type": "openai", "api_key": "k", "daily_budget": 1}, "AI_PRICE_IN and AI_PRICE_OUT"),
    ],
)
def test_what_cannot_work_says_what_to_set(tmp_path: Path, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        pick(tmp_path, **settings)


def test_a_feed_with_an_analyzer_that_is_not_known_is_told_which_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Use one of: anthropic, gemini, local, mock, openai"):
        pick(tmp_path, {"analyzer": "oracle"})
