"""Call commands in this process: far cheaper than a child process, with the same code from the arguments on."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from inforadar.cli import run


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Call = Callable[..., Called]


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path) -> Path:
    """A home folder with an empty database."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    (folder / "inforadar.db").write_bytes(sqlite_template.read_bytes())
    return folder


@pytest.fixture
def call(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    monkeypatch.setenv("INFORADAR_HOME", str(home))
    monkeypatch.setenv("COLUMNS", "200")

    def calling(*arguments: str, stdin: str = "") -> Called:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return Called(code=code, out=said.out, err=said.err)

    return calling
