"""The pages of docs/ that are made from the code, against the code.

They are kept in the repository so that they can be read there; whoever changes a command or a setting runs
`make docs`.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from types import ModuleType

import pytest
from cyclopts import App

from inforadar.cli import build_app
from inforadar.config import SECTIONS
from tests.support.paths import ROOT


def load_script() -> ModuleType:
    path = ROOT / "scripts" / "generate_docs.py"
    spec = importlib.util.spec_from_file_location("generate_docs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES: dict[str, Callable[[], str]] = load_script().PAGES


@pytest.mark.parametrize("page", PAGES)
def test_a_generated_page_is_what_the_code_says_today(page: str) -> None:
    kept = (ROOT / "docs" / page).read_text("utf-8")
    assert kept == PAGES[page](), f"docs/{page} is out of step: run `make docs`"


@pytest.mark.parametrize("page", PAGES)
def test_a_generated_page_does_not_depend_on_the_terminal(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = PAGES[page]()
    for name, value in {"COLUMNS": "20", "FORCE_COLOR": "1", "TERM": "xterm-256color", "LANG": "C"}.items():
        monkeypatch.setenv(name, value)
    assert PAGES[page]() == plain
    assert "\x1b" not in plain


def commands(app: App, path: str) -> list[str]:
    """Every command under `path`, as one types it."""
    found = []
    for name in app:
        if name.startswith("-"):
            continue
        typed = f"{path} {name}"
        below = commands(app[name], typed)
        found += below or [typed]
    return found


def test_every_command_has_a_heading_and_every_option_a_text() -> None:
    lines = PAGES["cli.md"]().splitlines()
    headings = {line.lstrip("# ") for line in lines if line.startswith("#")}
    typed = commands(build_app(), "inforadar")
    assert "inforadar feed add" in typed
    assert [command for command in typed if command not in headings] == []
    options = [line for line in lines if line.startswith("* `")]
    assert len(options) > len(typed)
    assert [line for line in options if not re.search(r"`: [^*]", line)] == []


def test_every_setting_has_a_row_with_its_name_in_the_environment() -> None:
    page = PAGES["config.md"]()
    missing = [
        (name, field)
        for name, section in SECTIONS.items()
        for field in section.__struct_fields__
        if f"| `{field}` | `{section.env_name(field)}` |" not in page
    ]
    assert missing == []
