"""The terminal as Textual writes to it, made to outlive a terminal that is closed."""

from __future__ import annotations

import contextlib
from typing import IO, Any

from textual.drivers.linux_driver import LinuxDriver


class ForgivingFile:
    """Throws away what a terminal that is gone no longer takes."""

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
    """Textual's thread that writes would end at the first error; the app would then wait for it, deaf to every signal,
    as soon as thirty pieces of its picture stand in line."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._file: Any = ForgivingFile(self._file)
