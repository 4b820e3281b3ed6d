"""The search language: what its terms mean, and that nothing a person types breaks it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.errors import UsageError
from inforadar.model.search import parse_search
from inforadar.model.search_tree import (
    After,
    All,
    AnyOf,
    Before,
    Changed,
    HasLabel,
    HasMark,
    InTitle,
    Language,
    Moment,
    Node,
    Not,
    Phrase,
    ScoreRange,
    Source,
    StorySize,
    Topic,
    Word,
    shows_everything,
)

A, B, C = Word("a"), Word("b"), Word("c")


@pytest.mark.parametrize(
    ("query", "node"),
    [
        ("a b", All((A, B))),
        ('a "b c"', All((A, Phrase("b c")))),
        ("a -b", All((A, Not(B)))),
        ("NOT a", Not(A)),
        ("a OR b c", All((AnyOf((A, B)), C))),
        ("a b OR c", All((A, AnyOf((B, C))))),
        ("(a b) OR c", AnyOf((All((A, B)), C))),
        ("-(a OR b)", Not(AnyOf((A, B)))),
        ("a AND b", All((A, B))),
        ("or", Word("or")),
        ("source:Habr", Source("Habr")),
        ('source:"New York Times"', Source("New York Times")),
        ("-Topic:python", Not(Topic("python"))),
        ('title:"harbour tax"', InTitle("harbour tax")),
        ("before:2026-03", Before(Moment(at=datetime(2026, 3, 1, tzinfo=UTC)))),
        ("after:7d", After(Moment(ago=timedelta(days=7)))),
        ("score:>0.6", ScoreRange(low=0.6, has_low=False)),
        ("score:<=.3", ScoreRange(high=0.3)),
        ("score:0.2..0.5", ScoreRange(low=0.2, high=0.5)),
        ("score:Slanted", ScoreRange(low=0.34, high=0.67, has_high=False)),
        ("score:loaded", ScoreRange(low=0.67)),
        ("lang:PT_br", Language("pt-br")),
        ("story:3", StorySize(3)),
        ("story:<3", StorySize(0, 2)),
        ("changed:title", Changed(what="title")),
        ("changed:Number", Changed(what="number")),
        ("changed:quotations", Changed(what="quotation")),
        ("changed:significant", Changed(what="significant")),
        ("changed:2d", Changed(since=Moment(ago=timedelta(days=2)))),
        ("is:starred label:later", All((HasMark("starred"), HasLabel("later")))),
        ("10:30", Word("10:30")),
        ("words:a", Word("words:a")),
        ("https://x.example/a", Word("https://x.example/a")),
        ("a OR", A),
        ("OR a", A),
        ("((a", A),
        ("a))", A),
        ("source:", Word("source:")),
        ("   ", None),
    ],
)
def test_a_query_is_read(query: str, node: Node | None) -> None:
    assert parse_search(query) == node


@pytest.mark.parametrize(
    "query",
    ["score:high", "score:..", "before:soon", "after:2026-13", "story:many", "changed:colour", "is:odd"],
)
def test_a_value_that_means_nothing_is_refused_with_what_is_possible(query: str) -> None:
    with pytest.raises(UsageError, match="takes"):
        parse_search(query)


@given(st.text(alphabet='ab "()-:ORNTscore><.1\x00ż新', max_size=60))
def test_no_query_breaks_the_parser(query: str) -> None:
    try:
        parse_search(query)
    except UsageError as refused:
        assert "takes" in str(refused)  # noqa: PT017


def test_a_query_without_a_positive_term_shows_nearly_everything() -> None:
    wide = {query: shows_everything(parse_search(query) or A) for query in ("-a", "-a -b", "a -b", "a OR -b")}
    assert wide == {"-a": True, "-a -b": True, "a -b": False, "a OR -b": True}
