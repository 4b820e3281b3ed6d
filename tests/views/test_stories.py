"""A story prepared for showing: headline, copies, fact table, conflicts, briefing, hostile text."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from inforadar.model.analysis import to_json
from inforadar.model.ids import FeedId, ItemId, StoryId
from inforadar.store.stories.queries import StoryEvent, StoryItem, StoryRow
from inforadar.views.brief import brief_html, brief_markdown, make_brief
from inforadar.views.stories import because, show_story, spread_text, story_facts, view_story
from inforadar.views.story_facts import Kind, State
from inforadar.views.story_json import view_document
from inforadar.views.story_names import same_names
from inforadar.views.story_numbers import numbers_in
from tests.support.faces.newsroom import analysis

NOW = datetime(2026, 3, 14, tzinfo=UTC)
STORY = StoryId(UUID(int=1))
ROW = StoryRow(id=STORY, began_at=NOW, last_at=NOW, updated_at=NOW, items=3, sources=2)


def told(number: int, source: str, title: str, text: str, score: float | None = None) -> StoryItem:
    return StoryItem(
        story_id=STORY,
        item_id=ItemId(UUID(int=number)),
        feed_id=FeedId(UUID(int=number)),
        at=NOW + timedelta(minutes=number),
        url=f"https://{source.lower()}.example/{number}",
        title=title,
        source=source,
        topic="world",
        language="en",
        snippet="",
        text=text,
        has_article=True,
        analyzer_result={},
        score=score,
        copy_of=None,
        is_pinned=False,
        reasons=None,
    )


FIRST = told(
    1, "Alpha", "Quake hits Grandel", "Seven people were killed in Grandel, said Ilena Torvald.", 0.6
)
SECOND = told(
    2,
    "Beta",
    "Earthquake in Grandel",
    "The quake in Grandel left 9 dead. “We lost our school and our church”, Ilena Torvald said.",
    0.1,
)
COPY = replace(told(3, "Gamma", "HORROR in Grandel", FIRST.text, 0.9), copy_of=FIRST.item_id)


def test_the_most_neutral_telling_gives_the_headline_and_copies_are_folded() -> None:
    story = show_story(ROW, [FIRST, SECOND, COPY])
    assert story is not None
    assert (story.headline, story.headline_source) == ("Earthquake in Grandel", "Beta")
    assert (story.min_score, story.max_score) == (0.1, 0.9)
    assert [member.outlet for member in story.members] == ["Alpha", "Beta"]
    assert [copy.outlet for copy in story.members[0].copies] == ["Gamma"]


@pytest.mark.parametrize(
    ("title", "sentence"),
    [
        ("218 souls trapped on a ferry!!!", "218 souls trapped on a ferry!!!"),
        ("218 people on a ferry", "218 people on a ferry."),
    ],
)
def test_a_title_is_quoted_as_a_sentence_with_one_end(title: str, sentence: str) -> None:
    facts = story_facts(
        [told(1, "Alpha", title, "The quay was quiet."), told(2, "Beta", title, "Nobody spoke.")]
    )
    (people,) = (fact for fact in facts if "218" in {cell.value for cell in fact.cells})
    assert {cell.sentence for cell in people.cells} == {sentence}


def test_a_story_that_was_not_measured_says_so() -> None:
    unmeasured = replace(FIRST, score=None, analyzer_result=to_json(analysis(None)))
    waiting = replace(SECOND, score=None)
    story = show_story(ROW, [unmeasured, waiting])
    assert story is not None
    assert spread_text(story) == "not measured"
    assert [member.label for member in story.members] == ["not measured", ""]
    only_waiting = show_story(ROW, [waiting])
    assert only_waiting is not None
    assert spread_text(only_waiting) == "not scored yet"


def test_numbers_that_differ_are_in_conflict_and_lead_to_their_sentences() -> None:
    view = view_story(ROW, [FIRST, SECOND, COPY], [], [])
    assert view is not None
    (dead,) = (fact for fact in view.facts if fact.kind is Kind.NUMBER and fact.label == "dead")
    assert [(cell.outlet, cell.state, cell.value) for cell in dead.cells] == [
        ("Alpha", State.CONFLICT, "7"),
        ("Beta", State.CONFLICT, "9"),
    ]
    assert dead.first_said_by == "Alpha"
    assert dead.cells[0].sentence.startswith("Seven people were killed")
    names = {fact.label for fact in view.facts if fact.kind is Kind.NAME}
    assert {"Grandel", "Ilena Torvald"} <= names
    (quotation,) = (fact for fact in view.facts if fact.kind is Kind.QUOTATION)
    assert [cell.state for cell in quotation.cells] == [State.NOT_SAID, State.SAID]


def test_numbers_are_told_with_what_they_count() -> None:
    found = {
        number[:2] for number in numbers_in("Police said 40,000 people fled, 6.1 magnitude, and 3 March.")
    }
    assert {("40000", "people"), ("6.1", "magnitude")} <= found
    assert not any(unit == "march" for _, unit in found)


@pytest.mark.parametrize(
    ("language", "sentence", "expected"),
    [
        ("en", "The array, 144 gleaming dishes, cost 310 million crowns.", {"dishes", "crowns"}),
        ("en", "All 218 terrified passengers and the crew of 14 left the ship.", {"people", "crew"}),
        (
            "en",
            "It stores 41 watt-hours and needs 20 kg after 5,000 charging cycles.",
            {"watt-hours", "kg", "cycles"},
        ),
        ("en", "Three were seriously injured, 40 seriously injured men among them.", {"injured"}),
        ("en", "The next one will last two thousandths of a second and be ten times worse.", set()),
        ("en", "It was the coldest day of 2019.", set()),
        ("de", "Das Wasser stand in 40 alten Häusern, 20 Stück pro Haushalt; 25 kamen.", {"hausern"}),
        (
            "ru",
            "Разрушено 40 жилых домов, погибли 7 человек, 12 тяжело раненых.",
            {"домов", "dead", "injured"},
        ),
        ("es", "El agua entró en 40 casas viejas.", {"casas"}),
        ("", "An array of 144 gleaming dishes.", {"dishes"}),
    ],
)
def test_a_number_counts_the_noun_after_it(language: str, sentence: str, expected: set[str]) -> None:
    assert {number.counts for number in numbers_in(sentence, language)} == expected


def test_the_timeline_has_titles_changes_and_merges() -> None:
    merged = StoryEvent(at=NOW, kind="merged", other=StoryId(UUID(int=9)), by_hand=True, score=None)
    changes = [(FIRST.item_id, NOW + timedelta(hours=1), "Quake", "Quake hits Grandel")]
    view = view_story(ROW, [FIRST, COPY], changes, [merged])
    assert view is not None
    assert [entry.kind for entry in view.timeline] == ["merged", "told", "copied", "title_changed"]


def test_reasons_are_a_sentence() -> None:
    reasons = {"nearest": "x", "score": 1.0, "names": ["Grandel"], "numbers": ["6.1"], "meaning": 0.71}
    assert because(replace(SECOND, reasons=reasons)) == "names Grandel; numbers 6.1; meaning 0.71"
    assert because(replace(SECOND, reasons={"nearest": "x", "copy": "text"})) == "same text"


def test_texts_of_the_web_are_escaped_in_the_briefing() -> None:
    evil = replace(SECOND, title="<script>alert(1)</script> [x](javascript:1)", source="<b>Beta")
    story = show_story(ROW, [FIRST, evil])
    assert story is not None
    brief = make_brief([(story, [FIRST, evil])], NOW, NOW)
    assert "<script>" not in brief_html(brief)
    assert "](javascript" not in brief_markdown(brief)
    assert any("In conflict" in fact for fact in brief.stories[0].facts)


def test_sentences_of_articles_are_left_out_for_those_who_may_not_read_them() -> None:
    view = view_story(ROW, [FIRST, SECOND], [], [])
    assert view is not None
    document = view_document(view, with_text=False)
    assert all(cell["sentence"] is None for fact in document["facts"] for cell in fact["cells"])
    assert all(fact["kind"] != "quotation" for fact in document["facts"])


def test_a_fact_is_one_row_over_languages_and_ways_of_writing() -> None:
    english = told(
        1,
        "Alpha",
        "Quake of magnitude 6.1 hits Grandel",
        "It destroyed 40 houses in Grandel, killing 7 people. Mayor Ilena Torvald asked for 12 million crowns."
        " On Tuesday it rained.",
        0.3,
    )
    other = told(2, "Beta", "Torvald: 9 dead", "In Grandel 9 people were killed, Ilena Torvald said.", 0.2)
    russian = replace(
        told(
            3,
            "Гамма",
            "Землетрясение в Гранделе",
            "При землетрясении магнитудой 6,1 в Гранделе погибли 9 человек, разрушено 40 домов, "
            "сообщила Илена Торвальд.",
            0.0,
        ),
        language="ru",
    )
    view = view_story(ROW, [english, other, russian], [], [])
    assert view is not None
    rows = {fact.label: [cell.value for cell in fact.cells] for fact in view.facts}
    assert rows["dead"] == ["7", "9", "9"]
    assert rows["houses"] == ["40", "", "40"]
    assert rows["magnitude"] == ["6.1", "", "6.1"]
    assert rows["crowns"] == ["12 million", "", ""]
    assert rows["Grandel"] == ["Grandel", "Grandel", "Гранделе"]
    assert rows["Mayor Ilena Torvald"] == ["Mayor Ilena Torvald", "Ilena Torvald", "Илена Торвальд"]
    assert not {"Tuesday", "It", "In Grandel"} & set(rows)
    assert view.story.headline_source == "Beta", "the headline is in the language of most outlets"


def test_two_names_that_end_alike_stay_two() -> None:
    same = same_names({"north korea", "south korea", "korea", "ilena torvald", "torvald"})
    assert same["korea"] == "korea"
    assert same["north korea"] != same["south korea"]
    assert same["torvald"] == "ilena torvald"
