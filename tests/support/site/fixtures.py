"""Fixtures of the scriptable site, and the mark `both_loops` for tests of code that uses sockets."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

import pytest
import uvloop

from inforadar.fetch.client import Client
from inforadar.fetch.guard import AllowedNetworks
from tests.support.site.names import Names
from tests.support.site.server import Site

USER_AGENT = "InfoRadar/test (+https://inforadar.example/bot)"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "both_loops: runs on asyncio's event loop and on uvloop")


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    if item.get_closest_marker("both_loops"):
        return {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}
    return {"asyncio": asyncio.new_event_loop}


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with Site() as running:
        yield running


@pytest.fixture
def names() -> Names:
    return Names()


@pytest.fixture
async def client(site: Site, names: Names) -> AsyncIterator[Client]:
    """A client whose guard allows the site, and nothing else on loopback."""
    async with Client(
        user_agent=USER_AGENT,
        timeout_s=10.0,
        max_bytes=100_000,
        allowed=AllowedNetworks.parse(site.endpoints),
        resolver=names,
    ) as running:
        yield running


CERTIFICATE = Path(__file__).with_name("news.test.pem")


@pytest.fixture
async def tls_site() -> AsyncIterator[Site]:
    """A TLS site with a certificate for news.test and 127.0.0.1."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    async with Site(tls=context) as running:
        yield running


@pytest.fixture
def trusting() -> ssl.SSLContext:
    """The TLS context with which a client trusts `tls_site`."""
    return ssl.create_default_context(cafile=str(CERTIFICATE))
