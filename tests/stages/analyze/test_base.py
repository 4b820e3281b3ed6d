"""The rules for every analysis, and the registry of analyzers."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from typing import Any

import pytest

from inforadar.config import AiSettings
from inforadar.errors import ConfigError
from inforadar.model.analysis import Analysis, AnalyzerName, Score
from inforadar.stages.analyze import ANALYZERS, analyzer_class, registered
from inforadar.stages.analyze.base import MAX_FACTS, MAX_REASON_CHARS, MAX_TITLE_CHARS, clean_line, validate

FINE = Score(value=0.25, reason="Two loaded words.", words=("slams",))
VALID = Analysis(
    title="Minister criticises plan",
    title_reason="“slams” is loaded.",
    description="",
    description_reason="There was none.",
    summary="",
    facts=("The plan costs 3 million.",),
    framing=FINE,
    clickbait=FINE,
    persuasive=FINE,
    hyper_stimulus=FINE,
    speculative=FINE,
    overall=FINE,
    category="politics",
    language="en",
    model="m",
    prompt_version="1",
)


def with_score(**changes: Any) -> Analysis:
    return dataclasses.replace(VALID, clickbait=dataclasses.replace(FINE, **changes))


def test_a_complete_analysis_has_no_problems() -> None:
    assert validate(VALID) == ()


def test_zero_and_one_are_scores() -> None:
    assert validate(with_score(value=0.0)) == ()
    assert validate(with_score(value=1.0)) == ()


@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan"), float("inf")])
def test_a_score_out_of_range_is_named_with_its_field(value: float) -> None:
    assert validate(with_score(value=value)) == (
        f"clickbait.value is {value}; it must be a number from 0 to 1.",
    )


@pytest.mark.parametrize(
    ("analysis", "problem"),
    [
        (with_score(reason=" "), "clickbait.reason is empty."),
        (
            with_score(reason="x" * (MAX_REASON_CHARS + 1)),
            "clickbait.reason has 301 characters; at most 300 are allowed.",
        ),
        (with_score(words=("",)), "clickbait.words[0] is empty."),
        (dataclasses.replace(VALID, title=""), "title is empty."),
        (dataclasses.replace(VALID, title="a\nb"), "title must be one line."),
        (
            dataclasses.replace(VALID, title="x" * (MAX_TITLE_CHARS + 1)),
            "title has 501 characters; at most 500 are allowed.",
        ),
        (dataclasses.replace(VALID, summary="a\x00b"), "summary has control characters."),
        (dataclasses.replace(VALID, summary="a\ud800b"), "summary has control characters."),
        (
            dataclasses.replace(VALID, facts=("f",) * (MAX_FACTS + 1)),
            "facts has 21 entries; at most 20 are allowed.",
        ),
        (
            dataclasses.replace(VALID, language="English"),
            "language is 'English'; it must be a BCP 47 tag such as 'en' or 'pt-BR'.",
        ),
        (dataclasses.replace(VALID, category=""), "category is empty."),
    ],
)
def test_each_broken_rule_is_a_sentence(analysis: Analysis, problem: str) -> None:
    assert validate(analysis) == (problem,)


def test_clean_line_makes_one_printable_line() -> None:
    assert clean_line(" a\n\tb\x00c ", 100) == "a b c"
    assert clean_line("Donau\u00addampfer", 100) == "Donaudampfer"
    assert clean_line("👩\u200d🚀 \u202eevil", 100) == "👩\u200d🚀 evil"


def test_clean_line_cuts_at_a_word() -> None:
    assert clean_line("one two three four", 12) == "one two…"
    assert clean_line("x" * 50, 10) == "x" * 9 + "…"
    assert len(clean_line("一二三四五六七八九十" * 100, 50)) == 50


def test_every_name_is_registered_can_be_loaded_and_is_the_classs_own() -> None:
    assert set(ANALYZERS) == set(AnalyzerName)
    for name in AnalyzerName:
        assert analyzer_class(name).name == name


def test_every_analyzer_that_asks_a_model_has_a_setting_for_its_key() -> None:
    asking = {name for name in AnalyzerName if registered(name).default_model}
    fields = AiSettings.__struct_fields__
    assert asking == {name for name in AnalyzerName if f"{name}_api_key" in fields}


def test_an_unknown_type_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"Use one of: .*mock"):
        analyzer_class("oracle")


@pytest.mark.parametrize(
    ("name", "library"), [("openai", "openai"), ("anthropic", "anthropic"), ("gemini", "httpx2")]
)
def test_without_its_library_an_analyzer_names_the_extra(name: str, library: str) -> None:
    code = (
        f"import sys; sys.modules[{library!r}] = None\n"
        "from inforadar.errors import ConfigError\n"
        "from inforadar.stages.analyze import analyzer_class\n"
        f"try: analyzer_class({name!r})\n"
        "except ConfigError as fault: print(fault)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == f"The analyzer {name} needs the extra: pip install 'inforadar[llm]'."


def test_choosing_among_analyzers_imports_no_client_library() -> None:
    code = (
        "import sys, inforadar.app.worker, inforadar.cli.item.analyze;"
        "print([m for m in ('openai', 'anthropic', 'google.genai', 'httpx2') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_registry_imports_no_analyzer() -> None:
    code = (
        "import sys, inforadar.stages.analyze as a;"
        "print([m for m in sys.modules if m.startswith(a.__name__ + '.')])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
