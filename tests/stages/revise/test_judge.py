"""Pages that are not the article, pages that only grow, and texts that are made to hurt."""

from __future__ import annotations

import pytest

from inforadar.model.revision import ChangeKind, Revision, Snapshot
from inforadar.stages.revise.details import picture_key, title_kind
from inforadar.stages.revise.difference import Op, compare_texts
from inforadar.stages.revise.judge import judge_look
from inforadar.stages.revise.typos import is_near
from inforadar.stages.revise.verdict import Doubtful, NotTheArticle, Unchanged
from tests.support.revision_pairs import load_pairs

ARTICLE = load_pairs("same")[0].old


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Advertisement\n\nShare",
        "Page not found. The page you are looking for may have been moved.",
        "Checking your browser before you access the site.",
        "Subscribe to continue reading this article and support our work.",
        "Страница не найдена",
        "ページが見つかりません",
    ],
)
def test_an_error_or_a_wall_is_not_the_article(text: str) -> None:
    assert isinstance(judge_look(ARTICLE, Snapshot(text=text, title=ARTICLE.title)), NotTheArticle)


def test_a_text_that_is_cut_off_is_behind_a_wall() -> None:
    start = "\n\n".join(ARTICLE.text.split("\n\n")[:2])
    assert isinstance(judge_look(ARTICLE, Snapshot(text=start, title=ARTICLE.title)), NotTheArticle)


def test_another_page_is_doubtful() -> None:
    other = " ".join(f"Recipe {word} calls for butter, flour and patience." for word in "abcdefghij")
    assert isinstance(judge_look(ARTICLE, Snapshot(text=other, title="Spring recipes")), Doubtful)


def test_a_retraction_is_doubtful_before_it_is_believed() -> None:
    gone = Snapshot(text="This article has been withdrawn by the editors.", title=ARTICLE.title)
    found = judge_look(ARTICLE, gone)
    assert isinstance(found, Doubtful)
    assert ChangeKind.REMOVED in found.revision.kinds


def test_a_live_page_that_rewrites_an_entry_is_a_revision_like_any_other() -> None:
    live = next(pair for pair in load_pairs("edits") if pair.is_live)
    edited = Snapshot(
        text=live.new.text.replace("ship's horn", "ship's siren twice"),
        title=live.new.title,
        url=live.new.url,
    )
    found = judge_look(live.old, edited)
    assert isinstance(found, Revision)
    assert not found.is_live


def test_a_significant_change_is_told_from_a_folded_one() -> None:
    by_name = {pair.name: judge_look(pair.old, pair.new) for pair in load_pairs("edits")}
    number, typo, live = by_name["casualties rise"], by_name["a typo"], by_name["a live page grows"]
    assert isinstance(number, Revision)
    assert isinstance(typo, Revision)
    assert isinstance(live, Revision)
    assert (number.is_significant, typo.is_significant, live.is_significant) == (True, False, False)


def test_passages_are_the_sentences_that_changed() -> None:
    pair = next(pair for pair in load_pairs("edits") if pair.name == "a minister's surname")
    found = judge_look(pair.old, pair.new)
    assert isinstance(found, Revision)
    (passage,) = found.passages
    assert passage.old == "Transport Minister Anna Lindqvist ordered an inquiry."
    assert passage.new == "Transport Minister Anna Bergström ordered an inquiry."


def test_the_words_of_a_difference_are_old_and_new_in_place() -> None:
    (diff,) = compare_texts("The ferry left 40 people injured.", "The ferry left 43 people injured.")
    assert diff.runs == [
        (Op.SAME, "The ferry left "),
        (Op.REMOVED, "40 "),
        (Op.ADDED, "43 "),
        (Op.SAME, "people injured."),
    ]


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("Minister quits", "Minister quits | Outlet News", None),
        ("Minister quits over budget - Outlet", "Minister quits over budget | Outlet", None),
        ("Minister quits", "Minister stays", ChangeKind.TITLE),
        ("Minister recieves award", "Minister receives award", ChangeKind.TYPO),
        ("部长辞职", "部长留任", ChangeKind.TITLE),
    ],
)
def test_titles(old: str, new: str, kind: ChangeKind | None) -> None:
    assert title_kind(old, new) is kind


def test_a_picture_is_the_same_in_every_size() -> None:
    keys = {
        picture_key(url)
        for url in (
            "https://cdn1.example/a/ferry-1024x576.jpg",
            "https://cdn2.example/b/ferry.webp?w=300",
            "https://img.example/w_640,h_360/ferry.jpg",
            "https://img.example/fit/https://outlet.example/ferry-640w.png",
        )
    }
    assert keys == {"ferry"}
    assert picture_key("https://i.example/media/aa/5000.jpg") != picture_key(
        "https://i.example/media/bb/5000.jpg"
    )


@pytest.mark.parametrize(
    ("old", "new", "near"),
    [
        ("recieve", "receive", True),
        ("goverment", "government", True),
        ("teh", "the", True),
        ("dead", "deaf", False),
        ("now", "not", False),
        ("legal", "illegal", False),
        ("increased", "decreased", False),
    ],
)
def test_spelling(old: str, new: str, near: bool) -> None:
    assert is_near(old, new) is near


def test_names_that_differ_by_a_letter_are_two_names() -> None:
    assert not is_near("Iran", "Iraq", is_name=True)
    assert not is_near("Austria", "Australia", is_name=True)
    assert is_near("Jonson", "Johnson", is_name=True)


def test_texts_without_end_are_compared_with_an_answer() -> None:
    base = "\n\n".join(f"Paragraph number {n} says something else about the ferry." for n in range(60))
    hostile = (base * 60, "“a" * 9000, "Updated " * 9000, "7 " * 9000, "\n".join(["12:00 a"] * 2000))
    for text in hostile:
        assert not isinstance(judge_look(Snapshot(text=base), Snapshot(text=text)), Unchanged)


def test_a_text_is_equal_to_itself() -> None:
    for pair in load_pairs("edits"):
        assert isinstance(judge_look(pair.old, pair.old), Unchanged)
