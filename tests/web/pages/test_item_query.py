from __future__ import annotations

import pytest
from starlette.datastructures import QueryParams

from inforadar.errors import UsageError
from inforadar.store.feeds.labels import Label
from inforadar.web.pages.item_query import MAX_SOURCES, Query, Show, choices, parse_query

LABELS = [
    Label(source="BBC", topic="world", feeds=1),
    Label(source="Habr", topic="go", feeds=1),
    Label(source="Habr", topic="Python", feeds=2),
    Label(source="habr", topic="python", feeds=1),
    Label(source="Хабр & Ко", topic="python", feeds=1),
]


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/?source=Habr",
        "/?source=Habr&source=%D0%A5%D0%B0%D0%B1%D1%80+%26+%D0%9A%D0%BE&topic=go",
        "/?show=unread&score=loaded&q=a+%22b%22&after=1.2",
    ],
)
def test_an_address_is_read_and_written_alike(address: str) -> None:
    assert parse_query(QueryParams(address.partition("?")[2])).href == address


@pytest.mark.parametrize("wrong", ["show=everything", "score=0.5", "score=LOADED"])
def test_what_is_not_known_is_said(wrong: str) -> None:
    with pytest.raises(UsageError, match="must be one of"):
        parse_query(QueryParams(wrong))


def test_a_query_becomes_a_filter() -> None:
    found = parse_query(QueryParams("source=Habr&topic=go&show=starred&score=slanted&q=ferry")).filter
    assert (found.sources, found.topics, found.query) == (("Habr",), ("go",), "ferry")
    assert (found.starred, found.unread, found.archived) == (True, False, False)
    assert (found.min_score, found.below_score) == (0.34, 0.67)
    assert parse_query(QueryParams("show=archived")).filter.archived


def test_the_place_alone_is_no_filter() -> None:
    assert not Query(after="1.2").is_filtered
    assert Query(words="x").is_filtered


def test_names_are_the_same_in_any_case_and_their_numbers_are_summed() -> None:
    unread = {("Habr", "Python"): 2, ("habr", "python"): 3, ("Хабр & Ко", "python"): 4, ("BBC", "world"): 1}
    found = choices(Query(), LABELS, unread)
    assert [(one.name, one.unread) for one in found.sources] == [("BBC", 1), ("habr", 5), ("Хабр & Ко", 4)]
    assert [(one.name.lower(), one.unread) for one in found.topics] == [
        ("go", 0),
        ("python", 9),
        ("world", 1),
    ]


def test_topics_are_those_of_the_chosen_sources() -> None:
    unread = {("BBC", "world"): 1, ("Habr", "Python"): 2, ("Хабр & Ко", "python"): 4}
    found = choices(Query(sources=("HABR",)), LABELS, unread)
    assert [(one.name.lower(), one.unread) for one in found.topics] == [("go", 0), ("python", 2)]


def test_a_chosen_source_that_is_not_among_the_first_labels_can_be_cleared() -> None:
    *_, last = choices(Query(sources=("Site 99999",)), LABELS, {}).sources
    assert (last.name, last.active, last.href) == ("Site 99999", True, "/")


def test_choosing_keeps_the_other_filters_and_choosing_again_clears() -> None:
    query = Query(sources=("BBC",), show=Show.UNREAD, band="loaded", words="x", after="1.2")
    found = choices(query, LABELS, {})
    bbc, habr, _ = found.sources
    assert bbc.active
    assert bbc.href == "/?show=unread&score=loaded&q=x"
    assert habr.href == "/?source=habr&show=unread&score=loaded&q=x"
    assert [one.active for one in found.shows] == [False, True, False, False]
    assert found.shows[0].href == "/?source=BBC&score=loaded&q=x"
    loaded = found.bands[2]
    assert loaded.active
    assert loaded.href == "/?source=BBC&show=unread&q=x"


def test_many_sources_are_cut_but_never_the_chosen_one() -> None:
    labels = [Label(source=f"Source {number:03}", topic="t", feeds=1) for number in range(MAX_SOURCES + 20)]
    last = labels[-1].source
    found = choices(Query(sources=(last,)), labels, {})
    assert len(found.sources) == MAX_SOURCES + 1
    assert found.sources[-1].name == last
    assert found.more_sources == 19
