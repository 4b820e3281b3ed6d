"""Workers killed with -9 and frozen at random moments: nothing is lost, doubled, or committed by a lost lease."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.harms import ANYWHERE
from tests.chaos.rounds import open_chaos

PLAN = {"kill": 5, "freeze": 2, "terminate": 1}
"""A small part of what `make chaos` does: each harm is a start of the program."""
BUSY_S = 240
"""On a busy machine the starts take a while."""


@pytest.mark.timeout(BUSY_S + 60)
async def test_after_kills_at_random_moments_everything_is_stored_once(
    database_url: str, tmp_path: Path
) -> None:
    async with open_chaos(database_url, tmp_path, seed=4, harms=ANYWHERE, hostile=True) as chaos:
        tally = await chaos.run(PLAN, seconds=BUSY_S)
    assert tally.violations == []
    assert tally.harms == PLAN
    assert tally.articles > 100
