"""What the project says of itself to tools: its dependencies, and the workflow that tests it."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from typing import Any

import yaml

from tests.support.paths import ROOT

NOT_INSTALLED = {"_typeshed", "compression"}
"""Known to type checkers only, and of the standard library from Python 3.14 on."""


def imported_packages() -> Iterator[str]:
    """Names of the top-level packages that the program imports, wherever in a file."""
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module.partition(".")[0]


def normal_name(requirement: str) -> str:
    match = re.match(r"[\w.-]+", requirement)
    assert match, requirement
    return re.sub(r"[-_.]+", "-", match[0]).lower()


def test_every_imported_package_is_a_declared_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [name for extra in project["optional-dependencies"].values() for name in extra]
    declared = {normal_name(name) for name in [*project["dependencies"], *extras]}
    distributions = packages_distributions()
    imported = set(imported_packages()) - sys.stdlib_module_names - NOT_INSTALLED - {"inforadar"}
    undeclared = {
        package
        for package in imported
        if declared.isdisjoint(normal_name(name) for name in distributions.get(package, (package,)))
    }
    assert undeclared == set()


def test_the_workflow_tests_a_fresh_checkout_without_secrets() -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    workflow: dict[Any, Any] = yaml.safe_load(text)
    (job,) = workflow["jobs"].values()
    uses = [step["uses"].partition("@")[0] for step in job["steps"] if "uses" in step]
    runs = [step["run"] for step in job["steps"] if "run" in step]
    assert uses == ["actions/checkout", "actions/setup-python"]
    assert runs[-2:] == ["make test", "make bench-smoke"]
    # YAML 1.1 reads the key `on` as a truth value.
    assert set(workflow[True]) == {"push", "pull_request"}
    assert not re.search(r"\$\{\{\s*secrets", text)
