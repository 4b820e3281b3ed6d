"""The program with its fencing taken out: whoever saves is believed to hold the lease.

    python -m tests.chaos.unfenced worker

Only to show that the checks notice.
"""

from __future__ import annotations

from unittest import mock

from inforadar.__main__ import main
from inforadar.store import writer

if __name__ == "__main__":
    with mock.patch.object(writer, "_lock_held_leases", lambda _connection, jobs: list(jobs)):
        main()
