"""Marked words: whole ones, with their reasons, never in tags or code."""

from __future__ import annotations

import re

import pytest
from markupsafe import Markup

from inforadar.model.analysis import Score
from inforadar.views.marks import IN_TEXTS, Marker, legend_for, marker_for
from inforadar.views.sanitize import MAX_MARK_STEPS, Budget, Images, article_html
from tests.support.faces.newsroom import analysis

DIRECT: Images = "direct"


def mark(word: str, reason: str = "Counts as framing", kind: str = "framing") -> str:
    return f'<mark class="word {kind}" tabindex="-1" data-reason="{reason}" title="{reason}">{word}</mark>'


@pytest.mark.parametrize(
    ("words", "plain", "marked"),
    [
        (("slams",), "He SLAMS it, slamsy", f"He {mark('SLAMS')} it, slamsy"),
        (("most insane",), "The most insane of all", f"The {mark('most insane')} of all"),
        (("most", "the most"), "The most of most", f"{mark('The most')} of {mark('most')}"),
        (("震惊",), "太震惊了！", f"太{mark('震惊')}了！"),
        (("шок",), "ШОК! шокировал", f"{mark('ШОК')}! шокировал"),
        (("صدمة",), "صدمة كبيرة", f"{mark('صدمة')} كبيرة"),
        (("!!",), "What!!", f"What{mark('!!')}"),
        (("amp", "lt"), "R&D < 5 amp", f"R&amp;D &lt; 5 {mark('amp')}"),
        (("R&D",), "all R&D now", f"all {mark('R&amp;D')} now"),
        (("<b>",), "a <b> b", f"a {mark('&lt;b&gt;')} b"),
        ((".*", "(a"), "a.*b (a", f"a{mark('.*')}b {mark('(a')}"),
        ((), "as it is", "as it is"),
    ],
)  # fmt: skip
def test_words_are_marked_in_titles(words: tuple[str, ...], plain: str, marked: str) -> None:
    assert Marker(dict.fromkeys(words, "Counts as framing")).text(plain) == marked


def test_words_are_marked_in_texts_but_never_inside_of_tags() -> None:
    html = Markup(
        '<p title="slams">He <a href="https://slams.example/" title="a > slams">slams</a> &amp;</p>'
    )
    marker = Marker({"slams": 'says "x"', "amp": "x", "title": "x", "p": "x"})
    reason = "says &quot;x&quot;"
    expected = str(html).replace(">slams<", f">{mark('slams', reason)}<")
    assert marker.html(html) == expected


def test_words_are_never_marked_in_code() -> None:
    html = Markup("<p>slams</p><pre><code>slams</code> slams</pre><p><code>slams</code> slams</p>")
    marked = Marker({"slams": "Counts as framing"}).html(html)
    one = mark("slams")
    assert marked == f"<p>{one}</p><pre><code>slams</code> slams</pre><p><code>slams</code> {one}</p>"


def test_words_are_not_marked_inside_of_a_picture_that_is_a_link() -> None:
    html = article_html("![he slams](https://slams.example/i.png)", "click")
    marked = Marker({"slams": "Counts as framing"}).html(html)
    assert marked == str(html).replace("he slams</a>", f"he {mark('slams')}</a>")


def test_a_word_has_all_its_reasons_and_bait_is_marked_in_titles_only() -> None:
    words = Score(value=0.9, reason="", words=("furious", " "))
    bait = Score(value=0.9, reason="", words=("secret", "the"))
    found = analysis(0.9, framing=words, hyper_stimulus=words, clickbait=bait)
    title = marker_for(found).text("the secret furious")
    both = "Shouting: louder than the matter; loaded: judges while it tells"
    bait_says = "Bait: promises more than it says"
    # A function word is never marked.
    assert title == f"the {mark('secret', bait_says, 'clickbait')} {mark('furious', both, 'shouting')}"
    assert "secret " in marker_for(found, IN_TEXTS).text("secret furious")
    assert marker_for(None).text("<plain>") == "&lt;plain&gt;"


def test_the_legend_names_the_tints_of_marked_words_alone() -> None:
    said = Score(value=0.9, reason="", words=("furious",))
    only_function_words = Score(value=0.9, reason="", words=("the", " "))
    found = analysis(0.9, framing=said, hyper_stimulus=only_function_words)
    assert legend_for(found) == [("framing", "loaded: judges while it tells")]
    assert legend_for(None) == []


def test_words_beyond_counting_are_left_unmarked() -> None:
    assert Marker({"a": "x"}).text("a " * 5000).count("<mark") == 400


def test_words_are_tried_only_so_often_in_one_text() -> None:
    reasons = {f"word{number}": "why" for number in range(99)}
    budget = Budget()
    text = Markup("<p>word1</p>" + "<p>" + "[" * (MAX_MARK_STEPS // 50) + " word2</p><p>word3</p>")
    shown = Marker(reasons).html(text, budget)
    assert re.findall("<mark[^>]*>(word[0-9])", shown) == ["word1", "word3"], "the part that costs too much"
    assert budget.mark_steps >= 0
