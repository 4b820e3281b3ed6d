"""Finished sentences are recognized and said again in the reader's language."""

import ast
import re
import time

import pytest

from inforadar.translations import LANGUAGES, find_language, say_again, speaking
from inforadar.translations.catalogue import FOLDER
from inforadar.urls import MAX_URL_CHARS, InvalidUrlError, normalize
from inforadar.views.sentences import SENTENCES

PLACEHOLDER = re.compile(r"%\(\w+\)s")
SOURCE = FOLDER.parent
HOLE = "\0"
FILLER = "x y"


def in_language(code: str, sentence: str) -> str:
    language = find_language(code)
    assert language is not None
    with speaking(language):
        return say_again(sentence)


def texts_of_the_code() -> set[str]:
    """All texts of the code; what is filled in is a hole."""
    found: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        if path.parent == FOLDER or path.name == "sentences.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = [one.value if isinstance(one, ast.Constant) else HOLE for one in node.values]
                found.add("".join(map(str, parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                # Also the patterns of `str.format`.
                found.add(re.sub(r"\{\w+\}", HOLE, node.value))
    return found


def test_the_code_makes_each_of_the_sentences() -> None:
    made = [
        (re.compile(".+".join(map(re.escape, text.split(HOLE))), re.DOTALL), len(text.replace(HOLE, "")))
        for text in texts_of_the_code()
        if text.strip(HOLE + " .")
    ]
    units = {f"%(number)s {unit}" for unit in ("days", "hours", "minutes", "seconds")}
    unknown = []
    for pattern in set(SENTENCES) - units:
        filled, fixed = PLACEHOLDER.sub(FILLER, pattern), len(PLACEHOLDER.sub("", pattern))
        if not any(length * 2 > fixed and one.fullmatch(filled) for one, length in made):
            unknown.append(pattern)
    assert unknown == []


def test_a_sentence_of_a_fault_is_said_in_the_readers_language_and_so_are_its_parts() -> None:
    with pytest.raises(InvalidUrlError) as empty:
        normalize("")
    with pytest.raises(InvalidUrlError) as long:
        normalize("https://news.example/" + "x" * MAX_URL_CHARS)
    assert in_language("pl", str(empty.value)) == "'' nie jest poprawnym adresem: jest pusty."
    assert f"он длиннее {MAX_URL_CHARS} знаков" in in_language("ru", str(long.value))
    nested = "The robots.txt of a.example cannot be fetched for now. a.example could not be reached."
    assert in_language("zh", nested) == "暂时无法获取 a.example 的 robots.txt。无法连接到 a.example。"
    assert in_language("en", nested) == nested


def test_the_pattern_with_most_fixed_text_wins() -> None:
    assert in_language("ru", "a.example answered 404. There is nothing at this address.").endswith(
        "По этому адресу ничего нет."
    )
    assert in_language("ru", "a.example answered 500.") == "a.example ответил 500."


def test_an_unknown_sentence_stays_as_it_is() -> None:
    for code in (language.code for language in LANGUAGES):
        for sentence in ("", "Nobody has written this.", "%(host)s %s %", " answered 500", "x" * 5000):
            assert in_language(code, sentence) == sentence


def test_a_hostile_sentence_costs_little() -> None:
    sentence = ("x is the URL of a deleted feed, " * 120 + "; nothing was changed. `inforadar feed restore ")[
        :3900
    ]
    began = time.process_time()
    for _ in range(20):
        in_language("pl", f"{sentence} is {sentence[:50]}.")
    assert time.process_time() - began < 2
