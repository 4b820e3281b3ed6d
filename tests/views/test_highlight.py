from __future__ import annotations

import re

import pytest
from markupsafe import Markup

from inforadar.views.highlight import MAX_WORDS, Highlighter


def hit(word: str) -> str:
    return f'<mark class="hit">{word}</mark>'


@pytest.mark.parametrize(
    ("query", "plain", "marked"),
    [
        ("ferry", "The FERRY, ferryman", f"The {hit('FERRY')}, ferryman"),
        ("ferr*", "Ferry and ferryman", f"{hit('Ferry')} and {hit('ferryman')}"),
        ("zolty", "Żółty tramwaj", f"{hit('Żółty')} tramwaj"),
        ("渡轮", "旧渡轮改成", f"旧{hit('渡轮')}改成"),
        ('"harbour tax" -ferry', "harbour ferry tax", f"{hit('harbour')} ferry {hit('tax')}"),
        ("storm OR flood", "a flood", f"a {hit('flood')}"),
        ("title:budget source:BBC", "BBC budget", f"BBC {hit('budget')}"),
        ("amp lt b", "a < b & <b>", f"a &lt; {hit('b')} &amp; &lt;{hit('b')}&gt;"),
        ("score:x", "score x", "score x"),
        ("", "as it is", "as it is"),
    ],
)
def test_what_a_search_found_is_marked(query: str, plain: str, marked: str) -> None:
    assert Highlighter(query).text(plain) == marked


def test_tags_and_attributes_are_never_touched() -> None:
    html = Markup('<p title="ferry">A <a href="https://ferry.example/">ferry</a></p>')
    marked = Highlighter("ferry p title a").html(html)
    assert marked == f'<p title="ferry">{hit("A")} <a href="https://ferry.example/">{hit("ferry")}</a></p>'


def test_a_text_of_very_many_words_is_searched_to_a_limit() -> None:
    text = Markup("<p>" + "a " * (MAX_WORDS - 1) + "water</p><p>" + "water " * 100 + "</p>")
    shown = Highlighter("water").html(text)
    assert shown.count("<mark") == 1
    assert re.sub("</?mark[^>]*>", "", shown) == text
