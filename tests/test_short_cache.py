"""Caches in long-running processes are bounded in bytes: short texts only, or no argument at all."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import inforadar
from inforadar.short_cache import short_cache
from inforadar.stages.canonical.content import clutter
from inforadar.urls import url_hash
from inforadar.views.highlight import _fold
from inforadar.web.feeds.rss_query import parse_rss_query
from inforadar.web.http.encodings import choose_encoding

SOURCE = Path(inforadar.__file__).parent
SHORT_KEYS = {
    "stages/group/tokens.py": {"_word"},
    "store/lease_tokens.py": {"_key"},
    "store/leases.py": {"_select_due"},
    "store/items/pages_of_feeds.py": {"_feeds_named"},
    "store/items/search_words.py": {"_word_pattern"},
    "web/http/networks.py": {"network_of"},
    "web/http/readers.py": {"_is_loopback"},
}
"""Functions with an `lru_cache`: of words that were cut, of addresses of connections, of a few numbers."""


def test_the_results_of_long_texts_are_not_kept() -> None:
    asked: list[str] = []

    @short_cache(2, max_length=3)
    def shout(text: str) -> str:
        asked.append(text)
        return text.upper()

    assert [shout(text) for text in ("abc", "abc", "abcd", "abcd")] == ["ABC", "ABC", "ABCD", "ABCD"]
    assert asked == ["abc", "abcd", "abcd"]


def test_functions_of_texts_from_the_web_keep_short_ones_only() -> None:
    for function, long in (
        (choose_encoding, b"x" * 10_000),
        (url_hash, "https://a.example/" + "x" * 10_000),
        (_fold, "x" * 10_000),
        (clutter._words_in, "x" * 10_000),
        (parse_rss_query, b"url=https%3A%2F%2Fa.example%2F" + b"x" * 5_000),
    ):
        before = function.__dict__["cache_info"]().currsize
        function(long)  # type: ignore[operator]
        assert function.__dict__["cache_info"]().currsize == before, function


def _decorated(name: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and any(name == _name(one) for one in node.decorator_list):
                yield path.relative_to(SOURCE).as_posix(), node


def _name(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return called.id if isinstance(called, ast.Name) else ""


def test_no_other_function_of_texts_has_a_cache() -> None:
    found: dict[str, set[str]] = {}
    for path, function in _decorated("lru_cache"):
        found.setdefault(path, set()).add(function.name)
    assert found == SHORT_KEYS


def test_caches_without_a_limit_are_of_names_that_the_program_gives() -> None:
    found = {
        f"{path}:{function.name}"
        for path, function in _decorated("cache")
        if any(
            ast.unparse(one.annotation) in {"str", "bytes"} for one in function.args.args if one.annotation
        )
    }
    assert found == OF_LANGUAGES


OF_LANGUAGES = {
    "stages/analyze/local/lexicon.py:lexicon_for",
    "stages/analyze/local/neutral.py:_patterns",
    "translations/catalogue.py:load_catalogue",
    "translations/sentences.py:_patterns",
}
