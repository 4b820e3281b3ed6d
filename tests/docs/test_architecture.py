"""The architecture page against the code: the walk of one feed, and the table of files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path

from tests.support.paths import ROOT

SOURCE = ROOT / "src" / "inforadar"
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
WALK = "## One feed, from `feed add` to `/rss`"
MAX_STEPS = 25

Reference = tuple[str, str]
"""A module's path and what it defines: `store/writer.py`, `Writer.submit`."""


def section(title: str) -> str:
    return PAGE.split(f"\n{title}\n", 1)[1].split("\n## ", 1)[0]


def steps(text: str) -> list[str]:
    return re.findall(r"^\d+\. .+?(?=^\d+\. |^#|^$|\Z)", text, re.MULTILINE | re.DOTALL)


def references(text: str) -> list[Reference]:
    return re.findall(r"`([\w/]+\.py):([\w.]+)`", text)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def definitions(path: Path) -> set[str]:
    """Functions and classes of a module, methods with their class."""
    found = set()
    for node in tree(path).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            inner = (one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
            found |= {f"{node.name}.{one.name}" for one in inner}
    return found


@cache
def names_used(path: Path) -> frozenset[str]:
    """Every name that a module mentions; where it defines one does not count."""

    def used() -> Iterator[str]:
        for node in ast.walk(tree(path)):
            match node:
                case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                    yield name
                case ast.Constant(value=str() as text) if re.fullmatch(r"[\w.]+:\w+", text):
                    yield text.rpartition(":")[2]

    return frozenset(used())


def undefined(found: list[Reference]) -> list[Reference]:
    return [
        (path, name)
        for path, name in found
        if not (SOURCE / path).is_file() or name not in definitions(SOURCE / path)
    ]


def uncalled(found: list[Reference]) -> list[Reference]:
    """Those that neither an earlier step's module nor `app`, which hands functions over, mentions.

    The first is where a process begins: anything in the program may mention it.
    """
    missing, callers = [], list(SOURCE.rglob("*.py"))
    handed_over = list((SOURCE / "app").rglob("*.py"))
    for position, (path, name) in enumerate(found):
        bare = name.rpartition(".")[2]
        if not any(bare in names_used(caller) for caller in callers):
            missing.append((path, name))
        callers = [*handed_over, *(SOURCE / earlier for earlier, _ in found[: position + 1])]
    return missing


def test_one_feed_is_walked_in_at_most_25_steps_that_are_numbered_in_order() -> None:
    told = steps(section(WALK))
    assert 20 <= len(told) <= MAX_STEPS
    assert [int(step.partition(".")[0]) for step in told] == list(range(1, len(told) + 1))


def test_every_step_names_functions_that_exist() -> None:
    told = steps(section(WALK))
    assert [step for step in told if not references(step)] == []
    assert undefined(list(chain.from_iterable(map(references, told)))) == []


def test_every_function_of_the_walk_is_mentioned_where_an_earlier_step_could_call_it() -> None:
    parts = section(WALK).split("\n### ")[1:]
    assert len(parts) == 4
    assert [missing for part in parts for missing in uncalled(references(part))] == []


def test_functions_that_are_gone_or_that_no_step_calls_are_noticed() -> None:
    gone = [("store/writer.py", "Writer.no_such_method"), ("store/no_such_file.py", "save")]
    assert undefined([*gone, ("store/writer.py", "Writer.submit")]) == gone
    start = ("pipeline/worker.py", "Worker.run")
    assert uncalled([start, ("pipeline/loops.py", "CollectLoop.run")]) == []
    assert uncalled([start, ("stages/publish/mix.py", "mix")]) == [("stages/publish/mix.py", "mix")]


def test_the_files_inside_the_parts_exist() -> None:
    table = PAGE.split("\n### Inside the parts\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `([\w/]+)` \| (.+) \|$", table, re.MULTILINE)
    assert len(rows) >= 10
    gone = [
        (package, name)
        for package, files in rows
        for name in re.findall(r"`([\w/]+)`", files)
        if not ((SOURCE / package / f"{name}.py").is_file() or (SOURCE / package / name).is_dir())
    ]
    assert gone == []
