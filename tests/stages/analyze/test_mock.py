"""The mock analyzer: dummy data, always the same, always valid."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inforadar.model.analysis import Subject
from inforadar.stages.analyze.base import validate
from inforadar.stages.analyze.mock import MockAnalyzer

SUBJECT = Subject(
    url="https://news.example/1", title="Minister SLAMS critics", description="A row.", text="", language="en"
)


async def no_wait(seconds: float) -> None:
    assert seconds >= 0


async def test_it_waits_as_long_as_it_was_told() -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    await MockAnalyzer(latency_s=1.5, sleep=sleep).analyze(SUBJECT)
    assert waited == [1.5]


async def test_the_same_subject_gets_the_same_answer_and_another_one_another() -> None:
    analyzer = MockAnalyzer(sleep=no_wait)
    first = await analyzer.analyze(SUBJECT)
    assert await MockAnalyzer(sleep=no_wait).analyze(SUBJECT) == first
    other = Subject(url=SUBJECT.url, title="Other", description="", text="")
    assert (await analyzer.analyze(other)).analysis.overall != first.analysis.overall


@given(title=st.text(), description=st.text(), text=st.text(), language=st.none() | st.text())
async def test_every_answer_is_valid(title: str, description: str, text: str, language: str | None) -> None:
    subject = Subject(url="u", title=title, description=description, text=text, language=language)
    answer = await MockAnalyzer(sleep=no_wait).analyze(subject)
    assert validate(answer.analysis) == ()
    assert all(word in title for word in answer.analysis.overall.words)


async def test_a_huge_title_is_cut() -> None:
    subject = Subject(url="u", title="x " * 500_000, description="", text="")
    assert validate((await MockAnalyzer(sleep=no_wait).analyze(subject)).analysis) == ()
