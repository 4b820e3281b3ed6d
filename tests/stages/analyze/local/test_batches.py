"""Items that wait together are analyzed together, each as if it were alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from inforadar.model.analysis import Analysis, Subject
from inforadar.semantic import encoder
from inforadar.stages.analyze.base import Work
from inforadar.stages.analyze.local import LocalAnalyzer
from inforadar.stages.analyze.local.analyzer import analyze_subject, analyze_subjects

SUBJECTS = [
    Subject(url="", title=title, description="", text=text)
    for title, text in (
        ("Gutless ministers cave in to farmers", "The government dropped its tax on fertiliser on Monday."),
        ("Министр представил бюджет на следующий год", "Расходы вырастут на 9 процентов, сообщил он."),
        ("日本の首相が辞任を表明し、与党は後任を選ぶ", ""),
    )
]


def test_a_batch_gives_the_same_analyses_as_one_by_one() -> None:
    encoder._recent.clear()
    together = analyze_subjects(SUBJECTS)
    encoder._recent.clear()
    assert together == [analyze_subject(subject) for subject in SUBJECTS]


async def test_subjects_that_wait_together_are_one_batch() -> None:
    sizes: list[int] = []

    async def run(work: Work, subjects: Sequence[Subject]) -> list[Analysis]:
        sizes.append(len(subjects))
        return work(subjects)

    analyzer = LocalAnalyzer(run)
    found = await asyncio.gather(*(analyzer.analyze(subject) for subject in SUBJECTS))
    assert [one.analysis for one in found] == analyze_subjects(SUBJECTS)
    assert sizes == [3]


async def test_a_subject_that_fails_fails_alone() -> None:
    async def run(work: Work, subjects: Sequence[Subject]) -> list[Analysis]:
        if SUBJECTS[1] in subjects:
            raise RuntimeError("the process died")
        return work(subjects)

    analyzer = LocalAnalyzer(run)
    first, second, third = await asyncio.gather(
        *(analyzer.analyze(subject) for subject in SUBJECTS), return_exceptions=True
    )
    assert isinstance(second, RuntimeError)
    assert not isinstance(first, BaseException)
    assert not isinstance(third, BaseException)


async def test_whoever_stops_waiting_does_not_stop_the_others() -> None:
    go = asyncio.Event()

    async def run(work: Work, subjects: Sequence[Subject]) -> list[Analysis]:
        await go.wait()
        return work(subjects)

    analyzer = LocalAnalyzer(run)
    tasks = [asyncio.create_task(analyzer.analyze(subject)) for subject in SUBJECTS[:2]]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    tasks[0].cancel()
    go.set()
    assert (await tasks[1]).analysis == analyze_subject(SUBJECTS[1])
    with pytest.raises(asyncio.CancelledError):
        await tasks[0]
