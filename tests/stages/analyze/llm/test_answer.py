"""Parsing a model's answer: the object is found within other text, and hostile text costs little."""

from __future__ import annotations

import json

import pytest

from inforadar.model.analysis import Analysis, Subject
from inforadar.stages.analyze.llm.answer import MAX_ANSWER_CHARS, parse_answer
from tests.support.llm_server import answer_text

ANSWER = answer_text()


def parse(text: str) -> Analysis | tuple[str, ...]:
    subject = Subject(url="u", title="T", description="D", text="Text")
    return parse_answer(text, subject, boundary="fence-1", model="m", prompt_version="p")


@pytest.mark.parametrize(
    "text",
    [
        '<think>I should send {"title": …}</think>\n' + ANSWER,
        f"<think>A draft: {answer_text(title='Draft')}</think>{ANSWER}",
        "Here is the {JSON}:\n" + ANSWER,
        'By the schema {"type": "object"}:\n' + ANSWER,
        ANSWER + "\n\nNote: I used the schema {…}.",
        ANSWER + "\n" + ANSWER,
    ],
    ids=["thoughts", "draft", "greeting", "other object", "note", "twice"],
)
def test_an_answer_between_other_braces_is_read(text: str) -> None:
    found = parse(text)
    assert isinstance(found, Analysis)
    assert found.title == json.loads(ANSWER)["title"]


@pytest.mark.parametrize(
    "text",
    [
        "{" * MAX_ANSWER_CHARS,
        '{"a":' * (MAX_ANSWER_CHARS // 5),
        "{}" * (MAX_ANSWER_CHARS // 2),
        "[" * MAX_ANSWER_CHARS,
        "<think>" * (MAX_ANSWER_CHARS // 7),
        '{"scores": 1}',
        '{"scores": "\ud800"} {',
    ],
    ids=["braces", "deep", "many", "brackets", "thoughts", "no scores", "surrogate"],
)
def test_what_holds_no_answer_is_refused_with_a_sentence(text: str) -> None:
    problems = parse(text)
    assert isinstance(problems, tuple)
    (problem,) = problems
    assert problem.startswith("The answer is not the JSON object that was asked for")


def test_an_answer_is_looked_for_at_few_braces() -> None:
    assert isinstance(parse("{ " * 49 + ANSWER), Analysis)
    assert isinstance(parse("{ " * 50 + ANSWER), tuple)
