"""The terminal app ends when its terminal is closed or the machine shuts down."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from textual.drivers._writer_thread import MAX_QUEUED_WRITES, WriterThread

from inforadar.tui.app import MEMORY
from inforadar.tui.driver import ForgivingFile
from inforadar.tui.memory import load_memory

PATIENCE_S = 60.0
LEFT = b"\x1b[?1049l"
"""The sequence that restores the screen."""


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
    assert load_memory(tmp_path / MEMORY).visited_at is not None


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
    ended = os.pidfd_open(child)
    try:
        assert select.select([ended], [], [], PATIENCE_S)[0], "it goes on for nobody"
    finally:
        os.kill(child, signal.SIGKILL)
        assert os.waitpid(child, 0) == (child, 0)
        os.close(ended)
    assert load_memory(tmp_path / MEMORY).visited_at is not None, "it left as if someone had pressed q"


def test_what_a_closed_terminal_no_longer_takes_holds_up_nobody() -> None:
    screen, inside = pty.openpty()
    os.close(screen)
    with contextlib.suppress(OSError), os.fdopen(inside, "w") as file:
        writer = WriterThread(ForgivingFile(file))
        writer.start()

        def draw() -> None:
            for _ in range(4 * MAX_QUEUED_WRITES):
                writer.write("piece of the picture")
            writer.stop()

        drawing = threading.Thread(target=draw, daemon=True)
        drawing.start()
        drawing.join(PATIENCE_S)
        assert not drawing.is_alive()
