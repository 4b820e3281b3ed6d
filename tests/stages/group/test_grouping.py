"""Grouping without a database: words, names, numbers, copies, generic titles, two events of one kind."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
import pytest

from inforadar.model.ids import ItemId, StoryId
from inforadar.stages.group.copies import is_copy, make_print
from inforadar.stages.group.grouper import Grouper, Placement
from inforadar.stages.group.pair_score import load_weights
from inforadar.stages.group.signature import make_signature
from inforadar.stages.group.stored import vectors_from_text, vectors_to_text
from inforadar.stages.group.tokens import days_of, number_value, script_of, split_tokens
from inforadar.stages.group.vocabulary import make_vocabulary
from inforadar.stages.group.window import Member, Window

NOW = datetime(2026, 3, 14, tzinfo=UTC)
EAST = (
    "A magnitude 6.1 earthquake struck Bolvania near the town of Grandel on 3 March, killing 7 people, "
    "the Seismic Institute in Karhold said. Mayor Ilena Torvald said rescuers were searching 40 houses."
)
EAST_2 = (
    "At least 7 people died when a 6.1 magnitude quake hit Grandel in Bolvania on 3 March. Rescue teams searched "
    "the ruins of 40 houses, mayor Ilena Torvald told reporters; the Seismic Institute in Karhold measured it."
)
WEST = (
    "A magnitude 5.4 earthquake struck Ostrava Bay near the port of Lisholm on 11 March, injuring 23 people, "
    "officials in Dunmark said. Governor Pello Aranz said rescuers were searching 12 houses."
)


class Newsroom:
    """A window, and items that arrive one after the other."""

    def __init__(self) -> None:
        self.made = 0
        self.window, self.vocabulary = Window(), make_vocabulary()
        self.grouper = Grouper(self.window, self.vocabulary, load_weights(), self._new_story)

    def _new_story(self) -> StoryId:
        self.made += 1
        return StoryId(UUID(int=self.made))

    def tell(
        self, title: str, text: str = "", *, hours: float = 0, language: str = "en", vector: object = None
    ) -> Placement:
        signature, casing = make_signature(title, text, language)
        if vector is not None:
            signature = replace(signature, title_vector=vector, full_vector=vector)
        self.vocabulary.learn(signature, casing)
        return self.grouper.place(
            Member(
                id=ItemId(UUID(int=len(self.window.members) + 1000)),
                at=NOW + timedelta(hours=hours),
                signature=signature,
                print=make_print(title, text),
                address="",
                story=StoryId(UUID(int=0)),
            )
        )


def test_one_event_is_one_story_and_two_earthquakes_are_two() -> None:
    room = Newsroom()
    first = room.tell("Earthquake in Grandel kills seven", EAST)
    second = room.tell("Seven dead as quake hits Grandel in Bolvania", EAST_2)
    other = room.tell("Earthquake near Lisholm injures 23", WEST)
    assert first.story == second.story != other.story
    assert second.reasons is not None
    assert "Grandel" in second.reasons.names
    assert "6.1" in second.reasons.numbers


def test_a_story_closes_72_hours_after_it_was_last_told() -> None:
    room = Newsroom()
    first = room.tell("Earthquake in Grandel kills seven", EAST)
    later = room.tell("Seven dead as quake hits Grandel in Bolvania", EAST_2, hours=80)
    assert first.story != later.story


def test_titles_alone_are_enough_if_they_say_enough() -> None:
    room = Newsroom()
    first = room.tell("Edward Snowden tells SXSW audience he has no regrets about NSA leaks")
    second = room.tell("Snowden at SXSW: no regrets about leaks of NSA papers")
    other = room.tell("Ellie Goulding debuts Beating Heart video from Divergent")
    assert first.story == second.story != other.story


@pytest.mark.parametrize(
    "title", ["Newsletter", "Weekly update", "The morning newsletter for all our readers"]
)
def test_a_generic_title_repeated_joins_nothing(title: str) -> None:
    room = Newsroom()
    room.tell("Earthquake in Grandel kills seven", EAST)
    last = [room.tell(title).story for _ in range(300)][-20:]
    assert len(set(last)) == 20


def test_a_text_with_the_words_of_all_stories_swallows_none() -> None:
    room = Newsroom()
    first = room.tell("Earthquake in Grandel kills seven", EAST)
    other = room.tell("Earthquake near Lisholm injures 23", WEST)
    words = " ".join(f"Word{number} and {number}" for number in range(5000))
    bait = room.tell("Everything everywhere: earthquake, budget, election, match", f"{EAST} {WEST} {words}")
    again = room.tell("Seven dead as quake hits Grandel in Bolvania", EAST_2)
    assert first.story != other.story
    assert again.story == first.story
    assert not bait.merges


def test_across_scripts_vectors_decide() -> None:
    room = Newsroom()
    same, unlike = np.zeros(512, np.float32), np.zeros(512, np.float32)
    same[0], unlike[1] = 1.0, 1.0
    first = room.tell("Earthquake in Grandel kills seven people", EAST, vector=same)
    russian = room.tell("Землетрясение в Гранделе унесло семь жизней", "", language="ru", vector=same)
    other = room.tell("Парламент Сорении принял бюджет на следующий год", "", language="ru", vector=unlike)
    assert russian.story == first.story != other.story


def test_in_another_language_the_nearest_telling_decides_and_not_the_mean_of_three() -> None:
    """A loaded telling is far from a plain one in another language, even if both tell of one event."""
    room = Newsroom()
    one, two, three, like_one = (np.zeros(512, np.float32) for _ in range(4))
    one[0], two[1], three[2], like_one[0], like_one[3] = 1.0, 1.0, 1.0, 0.9, 0.19**0.5
    first = room.tell("Earthquake in Grandel kills seven", EAST, vector=one)
    for title, vector in (
        ("Seven dead as quake hits Grandel", two),
        ("Grandel: Torvald's town in ruins", three),
    ):
        assert room.tell(title, f"{title}. {EAST_2}", vector=vector).story == first.story
    russian = room.tell("Землетрясение в Гранделе унесло семь жизней", "", language="ru", vector=like_one)
    assert russian.story == first.story


def test_a_copy_is_found_under_another_title_and_after_small_changes() -> None:
    text = " ".join(f"word{number}" for number in range(200))
    one = make_print("A title", text)
    assert is_copy(one, make_print("SHOCK", text))
    assert is_copy(one, make_print("A title", f"By Ann Author, Agency. {text}"))
    assert not is_copy(one, make_print("A title", " ".join(f"other{number}" for number in range(200))))
    assert not is_copy(make_print("One", "Read more."), make_print("Two", "Read more."))


@pytest.mark.parametrize(
    ("written", "value"),
    [("40.000", "40000"), ("40,000", "40000"), ("6.1", "6.1"), ("6,10", "6.1"), ("007", "7")],
)
def test_numbers_are_read_as_any_country_writes_them(written: str, value: str) -> None:
    assert number_value(written) == value


def test_days_are_read_in_several_languages() -> None:
    for text in ("on March 3, 2013", "3 March", "3 marzo", "le 3 mars", "3 марта", "3月3日"):
        assert days_of(split_tokens(text), text) == {"3-3"}, text


def test_scripts_are_told_apart() -> None:
    assert [script_of(text) for text in ("Hello", "Привет", "你好世界", "مرحبا", "123")] == [
        "latin", "cyrillic", "han", "arabic", "",
    ]  # fmt: skip


def test_vectors_survive_storing() -> None:
    vector = np.random.default_rng(1).normal(size=512).astype(np.float32)
    vector /= np.linalg.norm(vector)
    title, full = vectors_from_text(vectors_to_text(vector, -vector))
    assert float(title @ vector) > 0.999
    assert float(full @ vector) < -0.999
