"""Lease tokens: each begins with the key of the process that took the lease, so that a dead one's can be found."""

from __future__ import annotations

import os
from functools import lru_cache
from uuid import uuid4

from inforadar.model.ids import LeaseToken

KEY_LENGTH = 16


def worker_key() -> str:
    """The key of this process. A forked child has its own."""
    return _key(os.getpid())


@lru_cache(maxsize=1)
def _key(_: int) -> str:
    return uuid4().hex[:KEY_LENGTH]


def new_lease_token() -> LeaseToken:
    return LeaseToken(worker_key() + uuid4().hex[KEY_LENGTH:])
