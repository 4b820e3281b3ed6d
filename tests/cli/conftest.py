"""A separate program for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import call, home
from tests.cli.program import Program
from tests.support.ports import free_port

__all__ = ["call", "home"]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(home=tmp_path / "home", port=free_port(), sample_port=free_port())
