"""Changes of fields as people read them: what differs is shown, whatever surrounds it."""

from __future__ import annotations

import time

import pytest

from inforadar.views.field_diff import MAX_COMPARED, Side, plain_change, show_change, shown_changes

SAME, OLD, NEW = Side.SAME, Side.OLD, Side.NEW
LONG = "The council of Saltmere met on Monday evening to talk about the harbour, the ferry and the budget "


def test_a_long_text_shows_the_words_that_differ_and_a_little_around_them() -> None:
    change = show_change("snippet", f"{LONG}in Rome{LONG}", f"{LONG}in Milan{LONG}")
    assert change.field == "summary"
    assert change.pieces == (
        (SAME, "…ur, the ferry and the budget in "),
        (OLD, "RomeThe"),
        (NEW, "MilanThe"),
        (SAME, " council of Saltmere met on Mond…"),
    )
    assert plain_change(change) == (
        "…ur, the ferry and the budget in RomeThe council of Saltmere met on Mond… → "
        "…ur, the ferry and the budget in MilanThe council of Saltmere met on Mond…"
    )


@pytest.mark.parametrize(
    ("name", "old", "new", "pieces", "note"),
    [
        ("views", 1200, 12345, ((OLD, "1,200"), (NEW, "12,345")), "+11,145"),
        ("rating", 2.5, -1.0, ((OLD, "+2.5"), (NEW, "-1")), "-3.5"),
        ("views", None, 7, ((NEW, "7"),), ""),
        ("tags", ("a", "b", "c"), ("c", "d", "a"), ((OLD, "b"), (NEW, "d")), ""),
        ("tags", ["a", "b"], ["b", "a"], ((OLD, "a, b"), (NEW, "b, a")), ""),
        ("tags", None, ["a"], ((NEW, "a"),), ""),
        ("author", "Ann", None, ((OLD, "Ann"),), ""),
        ("published_at", "2026-11-17T01:49:02+00:00", "2026-11-18T03:35:02+02:00",
         ((OLD, "17 Nov 2026, 01:49:02 UTC"), (NEW, "18 Nov 2026, 01:35:02 UTC")), ""),
        ("published_at", None, "soon", ((NEW, "soon"),), ""),
        ("title", "Wahl in Köln", "Wahl in Bonn", ((SAME, "Wahl in "), (OLD, "Köln"), (NEW, "Bonn")), ""),
        ("title", "市长今天访问", "市长昨天访问", ((SAME, "市长"), (OLD, "今"), (NEW, "昨"), (SAME, "天访问")), ""),
        ("title", "Say 'no'", "Say “no”",
         ((SAME, "Say "), (OLD, "'"), (NEW, "“"), (SAME, "no"), (OLD, "'"), (NEW, "”")), ""),
    ],
)  # fmt: skip
def test_values_are_written_for_people(
    name: str, old: object, new: object, pieces: object, note: str
) -> None:
    change = show_change(name, old, new)
    assert (change.pieces, change.note) == (pieces, note)


def test_changes_come_in_the_order_of_reports_and_with_names_for_people() -> None:
    changes = shown_changes({"views": (1, 2), "published_at": (1, 2), "title": ("a", "b")})
    assert [change.field for change in changes] == ["title", "views", "published"]


def test_a_hostile_text_costs_little() -> None:
    words = [f"{number % 7}" for number in range(2000)]
    old, new = " ".join(words), " ".join(["x", *reversed(words), "y"])
    began = time.process_time()
    change = show_change("snippet", old, new)
    assert time.process_time() - began < 0.5
    assert len(words) ** 2 > MAX_COMPARED
    assert [side for side, _ in change.pieces] == [OLD, NEW]
