"""Fixtures around the scriptable site."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from inforadar.fetch.client import Client
from inforadar.fetch.guard import AllowedNetworks
from tests.site.names import Names
from tests.site.server import Site


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with Site() as running:
        yield running


@pytest.fixture
def names() -> Names:
    return Names()


@pytest.fixture
async def client(site: Site, names: Names) -> AsyncIterator[Client]:
    """A client whose guard is on and lets it reach the site, and nothing else on loopback."""
    async with Client(
        user_agent="InfoRadar/test (+https://inforadar.example/bot)",
        timeout_s=10.0,
        max_bytes=100_000,
        allowed=AllowedNetworks.parse(site.endpoints),
        resolver=names,
    ) as running:
        yield running
