"""The worker inside the app: a process that works as long as the app is open, and its state in words."""

from __future__ import annotations

import pickle
import subprocess
import sys
from contextlib import suppress

from inforadar.config import Settings
from inforadar.store.work_state import WorkState
from inforadar.tui.fetch.process import LOG

POLL_S = 2.0
"""How often the state of the worker is looked at."""
OFF, IDLE = "off", "idle"


class InnerWorker:
    """Starts and stops the process. Only one of these runs at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_on(self) -> bool:
        return self._process is not None

    @property
    def has_died(self) -> bool:
        """Whether the process ended though nobody stopped it."""
        return self._process is not None and self._process.poll() is not None

    def start(self) -> None:
        with (self._settings.home / LOG).open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "inforadar.tui.fetch.worker_process"],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        data = pickle.dumps(self._settings)
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(len(data).to_bytes(8, "big") + data)
            self._process.stdin.flush()

    def stop(self) -> None:
        """Tell the process to end; it does so by itself within seconds."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process = None


def worker_words(state: WorkState, *, is_on: bool) -> str:
    """`off`, `elsewhere`, `starting`, `idle`, or what it is doing: `fetching 3`, `12 texts`, `5 to score`."""
    if not is_on:
        return "elsewhere" if state.workers else OFF
    if not state.workers:
        return "starting"
    if state.feeds:
        return f"fetching {state.feeds}"
    if state.articles:
        return f"{state.articles} {'text' if state.articles == 1 else 'texts'}"
    return f"{state.analyses} to score" if state.analyses else IDLE
