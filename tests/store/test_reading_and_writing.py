"""Reading and writing modules of the store stay apart, so that the faces can be kept away from what writes.

`pyproject.toml` lists the writing modules in the contract "Faces change things only through actions". These tests
find them in the code, so that the list cannot go stale.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"
STORE = SRC / "inforadar" / "store"
FACES = ("cli", "tui", "web", "flows")

NOT_LOOKED_AT = {"inforadar.store.database"}
"""Runs whatever question it is given."""

STATEMENTS = {"insert", "update", "delete", "upsert", "insert_rows", "sqlite_insert", "postgres_insert"}
SQL = re.compile(r"\s*(INSERT|UPDATE|DELETE|ALTER|CREATE|DROP|TRUNCATE|REINDEX|VACUUM)\s")
REDIS = {"hset", "zadd", "sadd", "srem", "zrem", "rename", "persist", "expire"}
CLAIMS = ("claim_", "extend_", "release_", "postpone_")


def contract() -> dict[str, Any]:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return next(
        one
        for one in configuration["tool"]["importlinter"]["contracts"]
        if one["name"] == "Faces change things only through actions"
    )


def module_name(file: Path) -> str:
    return ".".join(file.relative_to(SRC).with_suffix("").parts)


@cache
def store_modules() -> dict[str, ast.Module]:
    left_out = {STORE / "migrations", STORE / "schema"}
    return {
        module_name(file): ast.parse(file.read_text())
        for file in sorted(STORE.rglob("*.py"))
        if file.name != "__init__.py" and left_out.isdisjoint(file.parents)
    }


def names_of(statement: ast.stmt) -> Iterator[str]:
    """What a statement of a module defines."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def writes_itself(statement: ast.stmt) -> bool:
    """Whether a statement has SQL that changes something, a lock or a claim, in its own text."""
    if any(name.startswith(CLAIMS) for name in names_of(statement)):
        return True
    docstrings = {
        id(node.value) for node in ast.walk(statement) if isinstance(node, ast.Expr)
    }  # a sentence may begin with any word
    for node in ast.walk(statement):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in STATEMENTS:
                return True
            case ast.Call(func=ast.Attribute(attr="with_for_update")):
                return True
            case ast.Call(func=ast.Attribute(attr="insert" | "update" | "delete"), args=[], keywords=[]):
                return True
            case ast.Call(func=ast.Attribute(attr="create" | "drop" | "replace"), args=[_], keywords=[]):
                # Makes a table or an index; puts a file in the place of another.
                return True
            case ast.Call(func=ast.Attribute(attr=name)) if name in REDIS:
                return True
            case ast.ImportFrom(module="alembic"):
                return True
            case ast.Constant(value=str(text)) if id(node) not in docstrings and SQL.match(text):
                return True
    return False


def used_by(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def imported_by(tree: ast.Module) -> dict[str, tuple[str, str]]:
    """{name here: (module, name there)}"""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def find_writing(modules: dict[str, ast.Module]) -> dict[str, list[str]]:
    """{module: names in it that change something}, by themselves or by what they use."""
    writing: set[tuple[str, str]] = set()
    others: list[tuple[set[tuple[str, str]], set[tuple[str, str]]]] = []
    for module, tree in modules.items():
        if module in NOT_LOOKED_AT:
            continue
        imported = imported_by(tree)
        for statement in tree.body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                continue
            names = {(module, name) for name in names_of(statement)}
            if writes_itself(statement):
                writing |= names
            else:
                others.append((names, {imported.get(name, (module, name)) for name in used_by(statement)}))
    before = -1
    while len(writing) > before:
        before = len(writing)
        for names, used in others:
            if not writing.isdisjoint(used):
                writing |= names
    found: dict[str, list[str]] = {}
    for module, name in sorted(writing):
        found.setdefault(module, []).append(name)
    return found


def test_every_store_module_that_writes_is_forbidden_to_the_faces() -> None:
    forbidden = set(contract()["forbidden_modules"])
    missing = {
        module: names for module, names in find_writing(store_modules()).items() if module not in forbidden
    }
    assert not missing, f"list these in the contract, or move what writes out of them: {missing}"


def test_every_forbidden_module_is_there_and_writes() -> None:
    assert set(contract()["forbidden_modules"]) - set(find_writing(store_modules())) == set()


def test_modules_named_after_queries_only_ask() -> None:
    named = [name for name in find_writing(store_modules()) if name.endswith("queries")]
    assert named == []


def test_no_face_runs_a_transaction_of_its_own() -> None:
    own = [
        f"{module_name(file)}:{node.lineno}"
        for face in FACES
        for file in sorted((SRC / "inforadar" / face).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text()))
        if is_transaction(node)
    ]
    assert own == []


def is_transaction(node: ast.AST) -> bool:
    """Whether it is `database.write(…)` or the like, whatever holds the database."""
    match node:
        case ast.Call(func=ast.Attribute(value=holder, attr="write" | "vacuum" | "migrate")):
            return "database" in ast.unparse(holder)
    return False


@pytest.mark.parametrize(
    "code",
    [
        "def save(connection): connection.execute(insert(feeds))",
        "def save(connection): connection.execute(upsert(connection, feeds))",
        "def save(connection): connection.execute(feeds.insert(), rows)",
        "def save(connection): index.create(connection)",
        "def save(connection): connection.execute(text('UPDATE feeds SET url = 1'))",
        "def hold(connection): connection.execute(select(feeds).with_for_update())",
        "SAVE = update(feeds)\ndef save(connection): connection.execute(SAVE)",
        "def claim_feed(connection): return connection",
        "def publish(pipeline): pipeline.zadd('key', {})",
        "from inforadar.store.leases import release_leases\ndef save(connection): release_leases(connection, [])",
    ],
)
def test_a_change_is_noticed_however_it_is_written(code: str) -> None:
    modules = {"inforadar.store.new": ast.parse(code)}
    leases = "inforadar.store.leases"
    assert "inforadar.store.new" in find_writing(modules | {leases: store_modules()[leases]})


@pytest.mark.parametrize(
    "code",
    [
        'def load(connection):\n    """Update nothing."""\n    return connection.execute(select(feeds)).all()',
        "def load(found): found.update({}); found.insert(0, 1); return 'a b'.replace('a', 'b')",
        "from inforadar.store.leases import LEASE_S\ndef load(connection): return LEASE_S",
    ],
)
def test_a_question_is_not_taken_for_a_change(code: str) -> None:
    modules = {"inforadar.store.new": ast.parse(code)}
    leases = "inforadar.store.leases"
    assert "inforadar.store.new" not in find_writing(modules | {leases: store_modules()[leases]})
