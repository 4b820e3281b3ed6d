"""A terminal that is closed, or a machine that shuts down, takes the terminal app along."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PATIENCE_S = 60.0
LEFT = b"\x1b[?1049l"
"""The screen is given back as it was."""


def _read_until(screen: int, wanted: bytes) -> None:
    seen = b""
    until = time.monotonic() + PATIENCE_S
    while wanted not in seen:
        assert time.monotonic() < until, seen[-2000:]
        if select.select([screen], [], [], 1.0)[0]:
            seen += os.read(screen, 65536)


def test_a_terminal_that_does_not_control_the_app_takes_it_along_too(tmp_path: Path) -> None:
    screen, inside = pty.openpty()
    environment = {**os.environ, "INFORADAR_HOME": str(tmp_path), "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "inforadar"]
    with subprocess.Popen(
        command, stdin=inside, stdout=inside, stderr=inside, env=environment, start_new_session=True
    ) as app:
        os.close(inside)
        _read_until(screen, b"Info Radar")
        os.close(screen)
        try:
            assert app.wait(PATIENCE_S) == 0
        finally:
            app.kill()


@pytest.mark.parametrize("how", ["closed", "told"])
def test_the_app_ends_with_its_terminal(tmp_path: Path, how: str) -> None:
    child, screen = pty.fork()
    if child == 0:
        os.environ |= {"INFORADAR_HOME": str(tmp_path), "TERM": "xterm-256color"}
        os.execv(sys.executable, [sys.executable, "-m", "inforadar"])
    _read_until(screen, b"Info Radar")
    if how == "told":
        os.kill(child, signal.SIGTERM)
        _read_until(screen, LEFT)
    os.close(screen)
    until = time.monotonic() + PATIENCE_S
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        assert time.monotonic() < until, "it goes on for nobody"
