"""Standard input, output and error as the commands need them: there, ready for any text, and with faults of their own.

A shell may close them (`2>&-`), give them an encoding that knows few letters, a full disk or a reader that goes away.
Here each of these is met once, so that no command has to. Imports next to nothing: help is quick.
"""

from __future__ import annotations

import io
import os
import select
import sys
from typing import TYPE_CHECKING, TextIO, cast

from inforadar.errors import OutputError, ReaderGoneError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_NAMES = ("stdin", "stdout", "stderr")
"""By their numbers."""


def open_streams() -> None:
    """Once, before anything is printed."""
    for number, name in enumerate(_NAMES):
        if getattr(sys, name) is None:
            _stand_in(number, name)
    sys.stdout = _own(sys.stdout)
    sys.stderr = _own(sys.stderr)


def close_streams() -> None:
    """What could not be written is dropped: Python would try again at its end, and exit with a code of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OutputError:
            _lead_nowhere(stream.fileno())


def _stand_in(number: int, name: str) -> None:
    """Under its own number, which else the next file that is opened would get, and children would write into."""
    _lead_nowhere(number)
    stream = open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - for good
    setattr(sys, name, stream)
    setattr(sys, f"__{name}__", stream)


def _lead_nowhere(number: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere == number:
        os.set_inheritable(number, True)
    else:
        os.dup2(nowhere, number)
        os.close(nowhere)


def _own(stream: TextIO) -> TextIO:
    """The same in our hands. Letters that its encoding does not know are spelled out, as on standard error."""
    given = cast(io.TextIOWrapper, stream)
    file = Output(given.fileno(), "w", closefd=False)
    is_bare = isinstance(given.buffer, io.RawIOBase)  # with PYTHONUNBUFFERED
    return io.TextIOWrapper(
        file if is_bare else io.BufferedWriter(file),
        encoding=given.encoding,
        errors="backslashreplace",
        line_buffering=given.line_buffering,
        write_through=given.write_through,
    )


class Output(io.FileIO):
    """Takes all it is given, though a bare file may take only a part of a large document.

    Its faults are no `OSError`s: the store would take those for the database's, and Rich would exit by itself.
    """

    def write(self, data: ReadableBuffer, /) -> int:
        left = memoryview(data).cast("B")
        size = len(left)
        try:
            while left:
                left = left[self._write_some(left) :]
        except BrokenPipeError:
            raise ReaderGoneError("Whoever read the output has gone.") from None
        except OSError as fault:
            raise OutputError(f"The output cannot be written: {fault.strerror}.") from None
        return size

    def _write_some(self, data: memoryview) -> int:
        while (written := super().write(data)) is None:
            # Another program that has the same terminal or pipe made it one that does not wait.
            select.select((), (self,), ())
        return written
