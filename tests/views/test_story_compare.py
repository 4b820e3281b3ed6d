"""Two tellings compared word by word, and the columns of the fact table."""

from __future__ import annotations

from datetime import UTC, datetime

from inforadar.model.ids import ItemId, new_uuid
from inforadar.views.story_compare import MAX_WORDS, compare
from inforadar.views.story_facts import Telling, fact_table
from inforadar.views.story_table import shown_table

NOW = datetime(2026, 3, 14, tzinfo=UTC)


def test_words_of_one_telling_are_told_from_those_of_both() -> None:
    found = compare(
        "Seven people died, police said. 白凪市の高校生", "Police: seven PEOPLE were killed. 白凪市の"
    )
    assert [piece.text for piece in found.one if not piece.is_shared] == [" died, police said.", "高校生"]
    assert "".join(piece.text for piece in found.other) == "Police: seven PEOPLE were killed. 白凪市の"
    assert 0 < found.shared < 1
    assert compare("", "").one == ()


def test_only_the_beginnings_of_long_texts_are_compared() -> None:
    found = compare("the " * 50_000, "a the " * 50_000)
    assert sum(len(piece.text.split()) for piece in found.one) == MAX_WORDS


def test_a_table_of_many_outlets_has_the_columns_that_say_the_most() -> None:
    def told(outlet: str, text: str) -> Telling:
        return Telling(item_id=ItemId(new_uuid()), outlet=outlet, at=NOW, text=text)

    silent = [told(f"Silent {place}", "Nothing here.") for place in range(30)]
    talking = [told(f"Talking {place}", "Quake.\nIt left 7 dead in Grandel.") for place in range(3)]
    table = shown_table(fact_table([*silent[:15], *talking, *silent[15:]]), columns=4)
    assert table.outlets == ("Silent 0", "Talking 0", "Talking 1", "Talking 2")
    assert len(table.left_out) == 29
    assert all(len(row.cells) == 4 for row in table.rows)
