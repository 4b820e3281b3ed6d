"""How polls are timed, by what is set (ruling 16)."""

from __future__ import annotations

import pytest

from inforadar.config.sections import FetcherSettings
from inforadar.model.rhythm import PollingMode


@pytest.mark.parametrize(
    ("given", "mode"),
    [
        ({}, PollingMode.ADAPTIVE),
        ({"success_interval": 3600}, PollingMode.FIXED),
        ({"success_interval": 3600, "budget": 1000}, PollingMode.ADAPTIVE),
        ({"success_interval": 3600, "polling": "adaptive"}, PollingMode.ADAPTIVE),
        ({"polling": "fixed"}, PollingMode.FIXED),
    ],
)
def test_who_sets_only_the_interval_gets_that_interval(given: dict[str, object], mode: PollingMode) -> None:
    assert FetcherSettings.read(given).polling_mode is mode
