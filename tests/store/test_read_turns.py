from __future__ import annotations

import asyncio

import pytest

from inforadar.store.read_turns import ReadTurns

NEVER_SLOW_S = 3600.0


class Reader:
    """A question that runs until it is told to end."""

    def __init__(self, turns: ReadTurns, name: str, begun: list[str]) -> None:
        self.end = asyncio.Event()
        self._turns, self._name, self._begun = turns, name, begun
        self.task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async with self._turns.turn():
            self._begun.append(self._name)
            await self.end.wait()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_short_questions_are_answered_in_the_order_they_were_asked() -> None:
    turns, begun = ReadTurns(1, NEVER_SLOW_S), list[str]()
    readers = [Reader(turns, name, begun) for name in "abc"]
    await settle()
    assert begun == ["a"]
    for reader, expected in zip(readers, (["a", "b"], ["a", "b", "c"], ["a", "b", "c"]), strict=True):
        reader.end.set()
        await settle()
        assert begun == expected
    await asyncio.gather(*(reader.task for reader in readers))


async def test_as_many_run_at_once_as_there_are_places() -> None:
    turns, begun = ReadTurns(2, NEVER_SLOW_S), list[str]()
    readers = [Reader(turns, name, begun) for name in "abc"]
    await settle()
    assert begun == ["a", "b"]
    readers[1].end.set()
    await settle()
    assert begun == ["a", "b", "c"]
    for reader in readers:
        reader.end.set()
    await asyncio.gather(*(reader.task for reader in readers))


async def test_a_slow_question_keeps_nobody_waiting() -> None:
    turns, begun = ReadTurns(1, 0.0), list[str]()
    slow = Reader(turns, "slow", begun)
    await settle()
    others = [Reader(turns, name, begun) for name in "ab"]
    async with asyncio.timeout(30):
        while len(begun) < 3:
            await asyncio.sleep(0)
    assert begun == ["slow", "a", "b"]
    for reader in (slow, *others):
        reader.end.set()
    await asyncio.gather(slow.task, *(reader.task for reader in others))


@pytest.mark.parametrize("has_its_turn", [False, True])
async def test_a_reader_that_goes_away_leaves_its_place_to_the_next(has_its_turn: bool) -> None:
    turns, begun = ReadTurns(1, NEVER_SLOW_S), list[str]()
    first, leaving, last = (Reader(turns, name, begun) for name in ("first", "leaving", "last"))
    await settle()
    if has_its_turn:
        # The turn is passed on, but the one that waited for it has not run yet.
        first.end.set()
        while not first.task.done():
            leaving.task.cancel()
            await asyncio.sleep(0)
    else:
        leaving.task.cancel()
        await settle()
        first.end.set()
    await settle()
    assert begun == ["first", "last"]
    last.end.set()
    await asyncio.gather(first.task, last.task)


async def test_a_failing_question_frees_its_place() -> None:
    turns = ReadTurns(1, NEVER_SLOW_S)
    with pytest.raises(ValueError, match="broken"):
        async with turns.turn():
            raise ValueError("broken")
    async with asyncio.timeout(30), turns.turn():
        pass
