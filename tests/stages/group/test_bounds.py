"""Hostile and odd input: the work for an item is bounded, and no story swallows the others.

Work is counted in compared pairs, not in seconds: a machine may be busy.
"""

from __future__ import annotations

import pytest

from inforadar.stages.group import grouper as grouper_module
from inforadar.stages.group.pair_score import PairScore, score_pair
from tests.pipeline.group.test_stage import BUDGET
from tests.stages.group.test_grouping import EAST, EAST_2, WEST, Newsroom

MOST_PAIRS = 200
"""An item is compared with its candidates; before stories are merged, a few members of each are compared."""


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many pairs were compared so far, in one number."""
    count = [0]

    def counted(*given: object) -> PairScore:
        count[0] += 1
        return score_pair(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(grouper_module, "score_pair", counted)
    return count


@pytest.mark.parametrize("title", ["Newsletter", "Five things to know before the markets open today"])
def test_500_equal_titles_cost_as_much_as_others_and_join_nothing_else(
    compared: list[int], title: str
) -> None:
    room = Newsroom()
    quake = room.tell("Earthquake in Grandel kills seven", EAST)
    stories = set()
    for _ in range(500):
        before = compared[0]
        stories.add(room.tell(title).story)
        assert compared[0] - before <= MOST_PAIRS
    assert quake.story not in stories
    assert room.tell("Seven dead as quake hits Grandel in Bolvania", EAST_2).story == quake.story


def test_a_text_that_is_repeated_for_ever_is_a_copy_that_is_compared_with_nothing(
    compared: list[int],
) -> None:
    room = Newsroom()
    first = room.tell("Budget passed", BUDGET)
    before = compared[0]
    found = [room.tell("Budget passed", BUDGET, hours=hours / 10) for hours in range(720)]
    assert compared[0] == before
    assert {one.story for one in found} == {first.story}
    later = room.tell("Budget passed", BUDGET, hours=200)
    assert later.story != first.story, "copies do not keep a story open"


def test_titles_of_one_word_are_stories_of_their_own() -> None:
    room = Newsroom()
    titles = ["Grandel", "Grandel", "Torvald", "Grandel"]
    assert len({room.tell(title).story for title in titles}) == len(titles)


def test_a_story_of_hundreds_is_compared_by_a_few_of_its_members(compared: list[int]) -> None:
    room = Newsroom()
    names = ("Torvald", "Karhold", "Grandel", "Bolvania")
    first = room.tell("Earthquake in Grandel kills seven", EAST)
    for number in range(500):
        text = f"{EAST_2} Report {number}: {names[number % 4]} counted again {number} times, resident {number} said."
        before = compared[0]
        room.tell(f"Seven dead as quake hits Grandel in Bolvania, part {number}", text)
        assert compared[0] - before <= MOST_PAIRS
    assert room.window.groups[first.story].size > 300
    other = room.tell("Earthquake near Lisholm injures 23", WEST)
    assert other.story != first.story


def test_texts_made_of_the_words_of_all_stories_cost_no_more_and_merge_nothing(compared: list[int]) -> None:
    room = Newsroom()
    told = [
        room.tell(
            f"Mayor Alma{n} opens bridge{n} in Town{n}",
            f"Mayor Alma{n} opened the bridge{n} over the river Flo{n} in Town{n} on Monday, {n + 20} years after "
            f"the plans of Architect{n} were drawn, the council of Town{n} said in a statement.",
        )
        for n in range(40)
    ]
    everything = " ".join(f"Alma{n} bridge{n} Town{n} Flo{n} Architect{n} {n + 20}" for n in range(40))
    for number in range(30):
        before = compared[0]
        bait = room.tell(f"Everything {number}: {everything}", f"{number} {everything}")
        assert compared[0] - before <= MOST_PAIRS
        assert not bait.merges
    assert len({one.story for one in told}) == 40
