"""The shape of the imports: what import-linter's layers do not say."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.util import find_spec

import grimp
import pytest

from tests.support.paths import ROOT

MAX_CHAIN = 25
"""Modules in the longest chain of imports. Lower it when the chain becomes shorter."""


@cache
def imports(*, for_types_too: bool) -> Mapping[str, frozenset[str]]:
    """{module: those it imports}, wherever in the file the import is written."""
    graph = grimp.build_graph("inforadar", exclude_type_checking_imports=not for_types_too, cache_dir=None)
    return {module: frozenset(graph.find_modules_directly_imported_by(module)) for module in graph.modules}


def longest_chain(graph: Mapping[str, frozenset[str]]) -> list[str]:
    chains: dict[str, list[str]] = {}
    for module in TopologicalSorter(graph).static_order():
        below = max((chains[other] for other in graph[module]), key=len, default=[])
        chains[module] = [module, *below]
    return max(chains.values(), key=len)


@pytest.mark.parametrize("for_types_too", [False, True])
def test_no_module_imports_itself_through_others(*, for_types_too: bool) -> None:
    try:
        TopologicalSorter(imports(for_types_too=for_types_too)).prepare()
    except CycleError as fault:
        pytest.fail(" imports ".join(reversed(fault.args[1])))


def test_the_longest_chain_of_imports_does_not_grow() -> None:
    chain = longest_chain(imports(for_types_too=False))
    assert len(chain) <= MAX_CHAIN, "\n".join(chain)


@pytest.mark.parametrize("folder", ["bench", "scripts"])
def test_programs_beside_the_package_import_names_that_exist(folder: str) -> None:
    """Nothing else runs them in the suite, so a renamed function would be noticed by the next person who measures."""
    missing = [
        f"{file.name}: {node.module}.{name.name}"
        for file in sorted((ROOT / folder).glob("*.py"))
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("inforadar")
        for name in node.names
        if not _exists(str(node.module), name.name)
    ]
    assert not missing


def _exists(module: str, name: str) -> bool:
    return hasattr(importlib.import_module(module), name) or find_spec(f"{module}.{name}") is not None
