"""A small piece of memory that the processes of one API share, gone when they are.

Everything that must last is in the database. Here is only what makes several processes behave as one: counts that tell
caches of a change made through another process, the wrong passwords of the last minutes, and the numbers of
`/metrics`. A process writes only in its own places and reads those of all, so nothing is ever locked; one that is
killed leaves at most a half-written number behind, and its successor counts on in the same places.
"""

from __future__ import annotations

import mmap
import tempfile
from dataclasses import dataclass, field
from typing import IO, Self

from inforadar.store.change_count import ChangeCount
from inforadar.web.api.answer_counts import CELLS as ANSWER_CELLS
from inforadar.web.api.answer_counts import AnswerCounts
from inforadar.web.http.failure_log import LOG_BYTES, FailureLog

_CELL_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """The shared memory, as one process uses it."""

    own: int = 0
    """The number of this process, from 0."""
    processes: int = 1
    ready: memoryview = field(default_factory=lambda: memoryview(bytearray(_CELL_BYTES)).cast("Q"))
    """A cell for each process; 1 once it has answered its first connection."""
    writes: ChangeCount = field(default_factory=ChangeCount)
    """Transactions in the database."""
    marks: ChangeCount = field(default_factory=ChangeCount)
    """Changes of marks and saved searches, after which sidebars are loaded anew."""
    answers: AnswerCounts = field(default_factory=AnswerCounts)
    failures: FailureLog = field(default_factory=FailureLog)

    @classmethod
    def of(cls, file: int, *, processes: int, own: int) -> Self:
        """Open the memory that the parent made, as process number `own`."""
        take = _Taker(mmap.mmap(file, _size(processes)))
        ready, writes, marks = (take(processes * _CELL_BYTES).cast("Q") for _ in range(3))
        answers = [take(ANSWER_CELLS * _CELL_BYTES).cast("Q") for _ in range(processes)]
        failures = [take(LOG_BYTES) for _ in range(processes)]
        return cls(
            own=own,
            processes=processes,
            ready=ready,
            writes=ChangeCount(writes, own),
            marks=ChangeCount(marks, own),
            answers=AnswerCounts(answers, own),
            failures=FailureLog(failures, own),
        )


def make_shared_file(processes: int) -> IO[bytes]:
    """Make the file behind the memory of so many processes. It has no name and goes with the last of them."""
    file = tempfile.TemporaryFile(prefix="inforadar-")  # noqa: SIM115 - the caller closes it
    file.truncate(_size(processes))
    return file


def _size(processes: int) -> int:
    return processes * (3 * _CELL_BYTES + ANSWER_CELLS * _CELL_BYTES + LOG_BYTES)


class _Taker:
    """Cuts one part after the other from a memory."""

    def __init__(self, memory: mmap.mmap) -> None:
        self._rest = memoryview(memory)

    def __call__(self, size: int) -> memoryview:
        part, self._rest = self._rest[:size], self._rest[size:]
        return part
