"""An outgoing proxy: used for every request, but not a way around the guard."""

from __future__ import annotations

import ssl

import pytest

from inforadar.errors import ConfigError
from inforadar.fetch.client import Client
from inforadar.fetch.guard import AllowedNetworks
from inforadar.model.http import Failed, FailureReason, Fetched, Outcome, Request
from tests.support.site import Site
from tests.support.site.fixtures import USER_AGENT
from tests.support.site.names import Names
from tests.support.site.proxy import Proxy

pytestmark = pytest.mark.both_loops


def client_through(
    proxy: str, names: Names, site: Site | None = None, tls: ssl.SSLContext | None = None
) -> Client:
    """The proxy's own address is not allow-listed: configuring it is enough."""
    return Client(
        user_agent=USER_AGENT,
        timeout_s=10.0,
        allowed=AllowedNetworks.parse(site.endpoints if site else []),
        resolver=names,
        proxy=proxy,
        tls=tls,
    )


async def test_requests_go_through_the_proxy(site: Site, names: Names) -> None:
    site.page("/rss", "hello")

    async with Proxy() as proxy, client_through(proxy.url, names, site) as client:
        result = await client.fetch(Request(url=site.url("/rss")))

    assert isinstance(result, Fetched)
    assert result.body == b"hello"
    assert proxy.asked == [f"GET {site.url('/rss')} HTTP/1.1"]


async def test_encrypted_requests_go_through_a_tunnel(
    tls_site: Site, names: Names, trusting: ssl.SSLContext
) -> None:
    names.add("news.test", "127.0.0.1")
    tls_site.page("/rss", "hello")

    async with (
        Proxy(hosts={"news.test": "127.0.0.1"}) as proxy,
        client_through(proxy.url, names, tls_site, trusting) as client,
    ):
        result = await client.fetch(Request(url=tls_site.url("/rss", host="news.test")))

    assert isinstance(result, Fetched)
    assert proxy.asked == [f"CONNECT news.test:{tls_site.port} HTTP/1.1"]


async def test_the_proxy_may_have_a_name(site: Site, names: Names) -> None:
    names.add("proxy.test", "127.0.0.1")
    site.page("/rss", "hello")

    async with Proxy() as proxy, client_through(f"http://proxy.test:{proxy.port}", names, site) as client:
        result = await client.fetch(Request(url=site.url("/rss")))

    assert isinstance(result, Fetched)


async def test_a_private_target_is_refused_before_the_proxy_hears_of_it(names: Names) -> None:
    names.add("inside.test", "10.0.0.7")

    async with Proxy() as proxy, client_through(proxy.url, names) as client:
        results = [
            await client.fetch(Request(url=url))
            for url in (
                "http://10.0.0.7/",
                "http://inside.test/",
                "https://inside.test/",
                "http://[::ffff:10.0.0.7]/",
                "http://169.254.169.254/",
                f"{proxy.url}/",
            )
        ]

    assert [result.reason for result in results if isinstance(result, Failed)] == [FailureReason.GUARD] * 6
    assert proxy.asked == []


async def test_a_redirect_into_a_private_network_is_not_handed_to_the_proxy(site: Site, names: Names) -> None:
    site.redirect("/rss", "http://192.168.0.1/")

    async with Proxy() as proxy, client_through(proxy.url, names, site) as client:
        result = await client.fetch(Request(url=site.url("/rss")))

    assert isinstance(result, Failed)
    assert result.reason is FailureReason.GUARD
    assert len(proxy.asked) == 1


async def test_a_name_that_only_the_proxy_knows_is_left_to_it(site: Site, names: Names) -> None:
    site.page("/rss", "hello")

    async with (
        Proxy(hosts={"far.test": "127.0.0.1"}) as proxy,
        client_through(proxy.url, names, site) as client,
    ):
        result = await client.fetch(Request(url=site.url("/rss", host="far.test")))

    assert isinstance(result, Fetched)


async def test_the_proxys_credentials_are_for_the_proxy_alone(
    tls_site: Site, names: Names, trusting: ssl.SSLContext
) -> None:
    tls_site.page("/rss", "hello")

    async with Proxy() as proxy:
        url = proxy.url.replace("http://", "http://user:secret@")
        async with client_through(url, names, tls_site, trusting) as client:
            result = await client.fetch(Request(url=tls_site.url("/rss")))

    assert isinstance(result, Fetched)
    assert b"Proxy-Authorization: Basic dXNlcjpzZWNyZXQ=" in proxy.heads[0]
    assert "proxy-authorization" not in tls_site.requests[0].headers


async def test_a_proxy_that_is_away_is_named_as_the_cause(names: Names) -> None:
    async with Proxy() as proxy:
        url = proxy.url

    async with client_through(url, names) as client:
        result = await client.fetch(Request(url="http://93.184.216.34/"))

    assert isinstance(result, Failed)
    assert (result.outcome, result.reason) == (Outcome.TEMPORARY_ERROR, FailureReason.REFUSED)
    assert result.message == "The proxy could not be reached."


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_that_wants_credentials_is_not_the_feeds_fault(names: Names, scheme: str) -> None:
    answer = b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"

    async with Proxy(refuse=answer) as proxy, client_through(proxy.url, names) as client:
        result = await client.fetch(Request(url=f"{scheme}://93.184.216.34/"))

    assert isinstance(result, Failed)
    assert (result.outcome, result.reason) == (Outcome.TEMPORARY_ERROR, FailureReason.STATUS)
    assert result.message.startswith("The proxy answered 407")


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1080", "127.0.0.1:3128", "http://", "not a url"])
async def test_a_proxy_that_cannot_be_used_is_a_wrong_setting(proxy: str) -> None:
    with pytest.raises(ConfigError, match=r"http://proxy\.example:3128"):
        Client(user_agent=USER_AGENT, proxy=proxy)
