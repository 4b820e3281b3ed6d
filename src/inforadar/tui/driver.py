"""A Textual driver that survives a closed terminal."""

from __future__ import annotations

import contextlib
from typing import IO, Any

from textual.drivers.linux_driver import LinuxDriver


class ForgivingFile:
    """Discards output that a closed terminal no longer accepts."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self.fileno = file.fileno
        self.isatty = file.isatty

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._file.flush()


class TerminalDriver(LinuxDriver):
    """Ignores write errors.

    Otherwise Textual's writer thread would end at the first error, and the app would block, ignoring every signal, as
    soon as thirty writes are queued.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._file: Any = ForgivingFile(self._file)
