"""The wrong attempts of the last minutes, noted by each process and counted over all of them.

A bounded log for each process: when it is full, the oldest attempt goes. Names and addresses are kept as hashes, which
are the same in every process.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence

MAX_NOTED = 8192
"""How many attempts a process keeps; each costs a password's hash, so minutes pass before the log is full."""
_ENTRY = struct.Struct("=dQQQ")
_LENGTH = struct.Struct("=Q")
LOG_BYTES = _LENGTH.size + MAX_NOTED * _ENTRY.size
KEYS = 3
"""How many things an attempt is counted by."""


class FailureLog:
    """Notes in the log of this process and counts in all."""

    def __init__(self, logs: Sequence[memoryview] | None = None, own: int = 0) -> None:
        self._all = [memoryview(bytearray(LOG_BYTES))] if logs is None else logs
        self._own = self._all[own]

    def add(self, at: float, keys: Sequence[str]) -> None:
        """Note an attempt at a Unix time, with its `KEYS` keys."""
        (noted,) = _LENGTH.unpack_from(self._own)
        _ENTRY.pack_into(self._own, _place(noted), at, *map(_hashed, keys))
        _LENGTH.pack_into(self._own, 0, noted + 1)

    def counts(self, keys: Sequence[str], since: float) -> list[int]:
        """For each key, how many attempts after `since` had it in the same place."""
        wanted, found = [_hashed(key) for key in keys], [0] * len(keys)
        for log in self._all:
            (noted,) = _LENGTH.unpack_from(log)
            for number in range(noted - 1, max(noted - MAX_NOTED, 0) - 1, -1):
                at, *given = _ENTRY.unpack_from(log, _place(number))
                if at <= since:
                    break
                for place, key in enumerate(wanted):
                    found[place] += given[place] == key
        return found


def _place(number: int) -> int:
    return _LENGTH.size + number % MAX_NOTED * _ENTRY.size


def _hashed(key: str) -> int:
    return int.from_bytes(hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=8).digest())
