"""The program under `libfaketime`, which moves its clock.

    LD_PRELOAD=…/libfaketime.so.1 FAKETIME=-2h FAKETIME_DONT_FAKE_MONOTONIC=1 python -m tests.chaos.moved_clock worker

Version 0.9.10 of the library moves the end of a sleep by the monotonic clock although it leaves that clock alone, so
`time.sleep` fails with EINVAL. The threads of a process pool die of that, and a worker then waits for texts that nobody
takes from their pages.
"""

from __future__ import annotations

import select
import time

from inforadar.__main__ import main


def sleep(seconds: float) -> None:
    """Sleep for a length of time, not until a point in time."""
    select.select([], [], [], seconds)


time.sleep = sleep  # here, because processes of the pool import this module too

if __name__ == "__main__":
    main()
