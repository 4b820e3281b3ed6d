"""Slow down guessing: each wrong attempt makes the next one wait longer, by account and by address.

Nobody is locked out: the right password works after the wait, and at other addresses there is none. Random secrets
cannot be guessed; they are checked before any wait.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from inforadar.web.http.networks import network_of

FAILURE_WINDOW = timedelta(minutes=5)
FREE_FAILURES = 5
"""Wrong attempts for one account from one address before the next one waits."""
FREE_ADDRESS_FAILURES = 20
"""The same for one address and all accounts."""
FREE_ACCOUNT_FAILURES = 50
"""The same for one account and all addresses; then each attempt waits a little, whoever makes it."""
MAX_WAIT_S = 8.0
ACCOUNT_WAIT_S = 1.0
MAX_WAITING = 4
"""How many attempts for one account from one address may wait at the same time."""
MAX_WAITING_AT_ADDRESS = 20
"""The same for one address and all accounts: whoever tries many names at once is not judged any faster."""
MAX_KEYS = 10_000

_Key = tuple[str | None, str | None]
"""Account and address; None: all of them."""


class CrowdedError(Exception):
    """Too many attempts are waiting already."""


@dataclass(slots=True, kw_only=True)
class LoginLimit:
    now: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]]
    _failures: dict[_Key, list[datetime]] = field(default_factory=dict)
    _waiting: Counter[_Key] = field(default_factory=Counter)

    def failed(self, account: str, address: str) -> None:
        """Note a wrong attempt."""
        now, since = self.now(), self.now() - FAILURE_WINDOW
        if len(self._failures) > MAX_KEYS:
            self._failures = {key: ats for key, ats in self._failures.items() if ats[-1] > since}
            for key in list(self._failures)[: max(0, len(self._failures) - MAX_KEYS)]:
                del self._failures[key]
        for key in self._keys(account, address):
            recent = [at for at in self._failures.pop(key, []) if at > since]
            # Put at the end: when there are too many, the oldest go first.
            self._failures[key] = [*recent[-FREE_ACCOUNT_FAILURES:], now]

    def wait_s(self, account: str, address: str) -> float:
        """Return how long the next attempt has to wait."""
        own, everywhere, of_address = (self._count(key) for key in self._keys(account, address))
        waits = [_doubled(own - FREE_FAILURES), _doubled(of_address - FREE_ADDRESS_FAILURES)]
        return max(*waits, ACCOUNT_WAIT_S if everywhere >= FREE_ACCOUNT_FAILURES else 0.0)

    @asynccontextmanager
    async def turn(self, account: str, address: str) -> AsyncIterator[None]:
        """Wait for one's turn to try a password; raise `CrowdedError` if too many wait already."""
        own, _, of_address = self._keys(account, address)
        if self._waiting[own] >= MAX_WAITING or self._waiting[of_address] >= MAX_WAITING_AT_ADDRESS:
            raise CrowdedError
        self._waiting.update((own, of_address))
        try:
            if (wait_s := self.wait_s(account, address)) > 0:
                await self.sleep(wait_s)
            yield
        finally:
            for key in (own, of_address):
                self._waiting[key] -= 1
                if not self._waiting[key]:
                    del self._waiting[key]

    def _count(self, key: _Key) -> int:
        since = self.now() - FAILURE_WINDOW
        return sum(at > since for at in self._failures.get(key, ()))

    @staticmethod
    def _keys(account: str, address: str) -> tuple[_Key, _Key, _Key]:
        name, network = account.strip().casefold()[:100], network_of(address)
        return (name, network), (name, None), (None, network)


def _doubled(over: int) -> float:
    return 0.0 if over < 0 else min(MAX_WAIT_S, 0.5 * 2.0 ** min(over, 10))
