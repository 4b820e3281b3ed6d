"""Text from the web in a terminal: nothing in it moves the cursor, hides, turns round or paints over other lines."""

from __future__ import annotations

import json
import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from inforadar.tui.cells import fit
from inforadar.tui.text import MAX_ACCENTS, safe, safe_json, safe_text

HOSTILE = {
    "escape sequences": ("\x1b[2J\x1b]0;owned\x07gone", "[2J ]0;owned gone"),
    "c1 controls": ("a\x9b31mb\x90q\x9c", "a 31mb q"),
    "line breaks": ("one\r\ntwo\u2028three\x0bfour", "one two three four"),
    "markup": ("[red]bold[/red] [link=x]", "[red]bold[/red] [link=x]"),
    "right to left override": ("invoice\u202efdp.exe", "invoice fdp.exe"),
    "isolates and marks": ("\u2066a\u2069\u200f\u061cb", "a b"),
    "zero width": ("pay\u200bpal\ufeff\u2060", "pay pal"),
    "fillers": ("a\u3164\u115f\uffa0\u00adb", "a b"),
    "tags": ("a\U000e0041\U000e0042b", "a b"),
    "surrogates": ("a\ud800b", "a b"),
    "storm of accents": ("Z" + "\u0335" * 500 + "algo", "Z" + "\u0335" * MAX_ACCENTS + "algo"),
    "living scripts": ("Việt Nam हिन्दी עִבְרִית ภาษาไทย 中文 🛟", "Việt Nam हिन्दी עִבְרִית ภาษาไทย 中文 🛟"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_line_is_shown_harmless(name: str) -> None:
    given_text, shown = HOSTILE[name]
    assert safe(given_text) == shown


@given(st.text())
def test_no_text_at_all_leaves_anything_that_acts_on_a_terminal(text: str) -> None:
    for line in (safe(text), *safe_text(text).split("\n")):
        assert not any(unicodedata.category(sign) in {"Cc", "Cs", "Zl", "Zp"} for sign in line)
        assert not any(unicodedata.bidirectional(sign) in _TURNS for sign in line)
    assert "\n" not in safe(text)


_TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@given(st.text(), st.integers(min_value=0, max_value=60), st.booleans())
def test_a_cell_is_exactly_as_wide_as_its_column(text: str, width: int, right: bool) -> None:
    assert cell_len(fit(safe(text), width, right=right)) == width


def test_a_cut_is_shown_and_the_rest_of_a_long_title_is_not_looked_at() -> None:
    assert fit("a long title", 8) == "a long…" + " "
    assert fit("中文标题", 5) == "中文…"
    assert fit("12", 5, right=True) == "   12"
    began = time.process_time()
    for _ in range(1000):
        fit("长" * 10_000, 40)
    assert time.process_time() - began < 1.0


def test_a_whole_text_keeps_its_lines_and_indentation() -> None:
    assert safe_text("one\n\n\tcode\x1b[0m\n  two\u202e") == "one\n\n    code[0m\n  two"


@given(st.text())
@example("\x7f\x9b\u202e\U000e0041")
def test_json_for_a_terminal_is_the_same_document_without_harm(title: str) -> None:
    shown = safe_json(json.dumps({"title": title}, ensure_ascii=False, indent=2))
    assert json.loads(shown) == {"title": title}
    assert not set(shown) & set("\x1b\x7f\x9b\u202e\u2066\u200f\U000e0041")
