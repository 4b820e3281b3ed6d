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

from inforadar.web.http.failure_log import FailureLog
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
"""How many attempts for one account from one address may wait at the same time, in each process."""
MAX_WAITING_AT_ADDRESS = 20
"""The same for one address and all accounts: whoever tries many names at once is not judged any faster."""

_Keys = tuple[str, str, str]
"""Account and address together, the account, the address."""


class CrowdedError(Exception):
    """Too many attempts are waiting already."""


@dataclass(slots=True, kw_only=True)
class LoginLimit:
    now: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]]
    failures: FailureLog = field(default_factory=FailureLog)
    _waiting: Counter[str] = field(default_factory=Counter)

    def failed(self, account: str, address: str) -> None:
        """Note a wrong attempt."""
        self.failures.add(self.now().timestamp(), self._keys(account, address))

    def wait_s(self, account: str, address: str) -> float:
        """Return how long the next attempt has to wait."""
        since = (self.now() - FAILURE_WINDOW).timestamp()
        own, everywhere, of_address = self.failures.counts(self._keys(account, address), since)
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

    @staticmethod
    def _keys(account: str, address: str) -> _Keys:
        name, network = account.strip().casefold()[:100], network_of(address)
        return f"both {network} {name}", f"account {name}", f"address {network}"


def _doubled(over: int) -> float:
    return 0.0 if over < 0 else min(MAX_WAIT_S, 0.5 * 2.0 ** min(over, 10))
