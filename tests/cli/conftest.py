"""A separate program for each test."""

from __future__ import annotations

import fcntl
import shutil
from pathlib import Path

import pytest

from tests.cli.calling import call, home
from tests.cli.program import Program
from tests.support.ports import free_port

__all__ = ["call", "home"]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(home=tmp_path / "home", port=free_port(), sample_port=free_port())


@pytest.fixture
async def sampled(program: Program, session_folder: Path) -> Program:
    """A program whose home has the sample, which is collected and analyzed once for all tests of a run."""
    made = session_folder / "sampled-home"
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            assert (await program.run("sample", "add")).code == 0
            program.home.rename(made)
    shutil.copytree(made, program.home)
    return program
