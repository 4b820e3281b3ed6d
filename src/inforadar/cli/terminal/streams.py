"""Standard input, output and error as the commands need them: open, ready for any text, with exceptions of our own.

A shell may close them (`2>&-`), or connect them to a narrow encoding, a full disk or a reader that goes away. All of
that is handled here, so that no command has to. This module imports next to nothing, so that help is fast.
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
"""In the order of their file descriptors."""


def open_streams() -> None:
    """Prepare the streams. Call it once, before anything is printed."""
    for number, name in enumerate(_NAMES):
        if getattr(sys, name) is None:
            _replace_closed(number, name)
    sys.stdout = _own(sys.stdout)
    sys.stderr = _own(sys.stderr)


def close_streams() -> None:
    """Flush the streams and drop the rest: Python would try again at exit, and return an exit code of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OutputError:
            _redirect_to_null(stream.fileno())


def _replace_closed(number: int, name: str) -> None:
    """Open /dev/null as a closed stream; otherwise the next opened file would get its number and its output."""
    _redirect_to_null(number)
    stream = open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - for good
    setattr(sys, name, stream)
    setattr(sys, f"__{name}__", stream)


def _redirect_to_null(number: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    if null == number:
        os.set_inheritable(number, True)
    else:
        os.dup2(null, number)
        os.close(null)


def _own(stream: TextIO) -> TextIO:
    """Wrap a stream. Characters that its encoding lacks are escaped, as on standard error."""
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
    """A file that writes everything it is given, although the system may accept only a part of a large document.

    Its exceptions are not `OSError`s: the store would take those for the database's, and Rich would exit on them.
    """

    def write(self, data: ReadableBuffer, /) -> int:
        left = memoryview(data).cast("B")
        size = len(left)
        try:
            while left:
                left = left[self._write_some(left) :]
        except BrokenPipeError:
            raise ReaderGoneError("The reader of the output is gone.") from None
        except OSError as fault:
            raise OutputError(f"The output cannot be written: {fault.strerror}.") from None
        return size

    def _write_some(self, data: memoryview) -> int:
        while (written := super().write(data)) is None:
            # Another program with the same terminal or pipe made it non-blocking.
            select.select((), (self,), ())
        return written
