"""Numbers are in conflict only where they count the same thing."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from uuid import UUID

import pytest

from inforadar.model.ids import ItemId
from inforadar.views.story_facts import Kind, Telling, fact_table


def conflicts(*told: tuple[str, str]) -> set[str]:
    """What the numbers in conflict count, of tellings in these languages."""
    tellings = [
        Telling(
            item_id=ItemId(UUID(int=number)),
            outlet=f"Outlet {number}",
            at=datetime(2026, 3, 14, number, tzinfo=UTC),
            text=text,
            language=language,
        )
        for number, (language, text) in enumerate(told)
    ]
    return {fact.label for fact in fact_table(tellings) if fact.kind is Kind.NUMBER and fact.is_conflict}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("en", "All 218 passengers left the ferry."), ("en", "The ferry carried 180 passengers.")),
        (("de", "An Bord der Fähre waren 218 Passagiere."), ("de", "Die Fähre hatte 180 Passagiere.")),
        (("ru", "На пароме было 218 пассажиров."), ("ru", "С парома сошли 180 пассажиров на пароме.")),
        (("es", "El barco llevaba 218 pasajeros."), ("es", "En el barco iban 180 pasajeros.")),
        (("fr", "Le navire portait 218 passagers."), ("fr", "Il y avait 180 passagers sur le navire.")),
        (("en", "In Grandel, 218 people fled."), ("de", "Aus der Stadt Grandel flohen 180 Menschen.")),
    ],
)
def test_two_counts_of_the_same_thing_are_in_conflict(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert conflicts(one, other) == {"people"}


@pytest.mark.parametrize(
    "holds",
    [
        ("en", "The ferry is replaced by the Tern, which holds 180 passengers."),
        ("en", "Another ferry with room for 180 passengers sails instead."),
        ("de", "Die Ersatzfähre fasst 180 Passagiere; die ferry bleibt im Hafen."),
        ("ru", "Паром «Халсион» заменит «Буревестник», который вмещает 180 пассажиров."),
        ("es", "El ferry tiene capacidad para 180 pasajeros."),
        ("fr", "Le ferry peut accueillir 180 passagers."),
        ("it", "Il ferry può ospitare 180 persone."),
        ("en", "Last year 180 passengers were stuck on the same ferry."),
        ("ru", "Год назад на пароме застряли 180 пассажиров."),
        ("de", "Im Vorjahr saßen 180 Passagiere auf der Fähre fest."),
    ],
)
def test_what_a_ship_holds_or_what_was_last_year_is_no_conflict(holds: tuple[str, str]) -> None:
    assert conflicts(("en", "All 218 passengers left the ferry."), holds) == set()
    assert conflicts((holds[0], "На пароме Fähre ferry было 218 passengers, пассажиров."), holds) == set()


def test_a_number_that_stands_beside_other_words_is_no_conflict() -> None:
    wind = "Wind at Cobb Point reached 23 metres a second."
    assert conflicts(("en", wind), ("en", "Gusts of 25 metres were measured at Cobb Point.")) == {"metres"}
    assert conflicts(("en", wind), ("en", "The tower is 90 metres tall.")) == set()
    assert conflicts(("en", "Prices rose 4 % in May."), ("en", "The party polls at 31 %.")) == set()
    assert conflicts(("en", "Prices rose 4 % in May."), ("en", "In May prices went up 5 %.")) == {"%"}


@pytest.mark.parametrize(
    ("one", "other", "counted"),
    [
        (("en", "Seven people were killed."), ("ru", "После удара 9 погибших."), "dead"),
        (("de", "Es gab 12 Verletzte."), ("es", "Hay 15 heridos."), "injured"),
        (("en", "It had a magnitude of 6.1."), ("en", "A quake of magnitude 6.4."), "magnitude"),
    ],
)
def test_the_dead_the_injured_and_the_magnitude_are_always_those_of_the_event(
    one: tuple[str, str], other: tuple[str, str], counted: str
) -> None:
    assert conflicts(one, other) == {counted}


def test_texts_full_of_numbers_cost_little() -> None:
    def text(outlet: int) -> str:
        return "\n".join(
            " ".join(f"{outlet * 10_000 + line * 50 + place} metres" for place in range(28))
            for line in range(80)
        )

    started = time.process_time()
    assert conflicts(*(("en", text(outlet)) for outlet in range(12))) == set()
    assert time.process_time() - started < 5


def test_the_dead_of_an_earlier_event_are_no_conflict() -> None:
    now, before = ("en", "Seven people were killed."), ("en", "A quake killed 90 people two years ago.")
    assert conflicts(now, before) == set()
