"""What several processes of the API share, seen by two of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from inforadar.web.api.answer_counts import BUCKETS_S
from inforadar.web.http.login_limit import FREE_FAILURES, LoginLimit
from inforadar.web.shared import Shared, make_shared_file


@pytest.fixture
def both() -> Iterator[tuple[Shared, Shared]]:
    with make_shared_file(2) as file:
        yield (
            Shared.of(file.fileno(), processes=2, own=0),
            Shared.of(file.fileno(), processes=2, own=1),
        )


def test_a_change_of_one_is_a_change_for_the_other(both: tuple[Shared, Shared]) -> None:
    one, other = both
    seen = (other.writes.total, other.marks.total)
    one.writes.add()
    assert (other.writes.total, other.marks.total) == (seen[0] + 1, seen[1])
    other.marks.add()
    assert (one.writes.total, one.marks.total) == (seen[0] + 1, seen[1] + 1)


def test_one_that_is_started_again_counts_on(both: tuple[Shared, Shared]) -> None:
    one, other = both
    other.writes.add()
    with make_shared_file(1) as file:
        first = Shared.of(file.fileno(), processes=1, own=0)
        first.writes.add()
        again = Shared.of(file.fileno(), processes=1, own=0)
        again.writes.add()
        assert again.writes.total == first.writes.total == 2
    assert one.writes.total == 1


def test_the_answers_of_both_are_counted(both: tuple[Shared, Shared]) -> None:
    one, other = both
    one.answers.add(200, 0.0004)
    other.answers.add(200, 0.7)
    other.answers.add(404, 99.0)
    for shared in both:
        assert shared.answers.statuses == {200: 2, 404: 1}
        assert shared.answers.total_s == pytest.approx(99.7004)
        assert sum(shared.answers.buckets) == 3
        assert (shared.answers.buckets[0], shared.answers.buckets[len(BUCKETS_S)]) == (1, 1)


async def test_guessing_at_one_slows_guessing_at_the_other(both: tuple[Shared, Shared]) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)

    async def sleep(seconds: float) -> None:
        raise AssertionError(f"nobody waits {seconds} s here")

    here, there = (LoginLimit(now=lambda: now, sleep=sleep, failures=shared.failures) for shared in both)
    for number in range(FREE_FAILURES):
        assert here.wait_s("Иван", "1.1.1.1") == there.wait_s("иван", "1.1.1.1") == 0
        (here if number % 2 else there).failed("иван", "1.1.1.1")
    assert here.wait_s("иван", "1.1.1.1") == there.wait_s("иван", "1.1.1.1") > 0
    assert there.wait_s("иван", "2.2.2.2") == 0
