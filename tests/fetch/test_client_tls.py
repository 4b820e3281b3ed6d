"""TLS connections: which certificates are trusted, and the messages when one is not."""

from __future__ import annotations

import ssl

import pytest

from inforadar.fetch.client import Client
from inforadar.fetch.guard import AllowedNetworks
from inforadar.model.http import Failed, FailureReason, Fetched, Outcome, Request
from tests.support.site import Site
from tests.support.site.answers import resets
from tests.support.site.fixtures import USER_AGENT
from tests.support.site.names import Names

pytestmark = pytest.mark.both_loops


def client_for(site: Site, names: Names, tls: ssl.SSLContext | None = None) -> Client:
    return Client(
        user_agent=USER_AGENT,
        timeout_s=10.0,
        allowed=AllowedNetworks.parse(site.endpoints),
        resolver=names,
        tls=tls,
    )


async def test_a_site_with_a_certificate_that_we_trust_is_fetched(
    tls_site: Site, names: Names, trusting: ssl.SSLContext
) -> None:
    names.add("news.test", "127.0.0.1")
    tls_site.page("/", "hello")

    async with client_for(tls_site, names, trusting) as client:
        by_name = await client.fetch(Request(url=tls_site.url("/", host="news.test")))
        by_address = await client.fetch(Request(url=tls_site.url("/")))

    assert isinstance(by_name, Fetched)
    assert isinstance(by_address, Fetched)


async def test_a_certificate_that_nobody_vouches_for_is_not_trusted(tls_site: Site, names: Names) -> None:
    async with client_for(tls_site, names) as client:
        result = await client.fetch(Request(url=tls_site.url("/")))

    assert isinstance(result, Failed)
    assert (result.outcome, result.reason) == (Outcome.TEMPORARY_ERROR, FailureReason.TLS)
    assert result.message == "The certificate of 127.0.0.1 is self-signed."
    assert tls_site.requests == []


async def test_a_certificate_for_another_name_is_not_trusted(
    tls_site: Site, names: Names, trusting: ssl.SSLContext
) -> None:
    names.add("other.test", "127.0.0.1")

    async with client_for(tls_site, names, trusting) as client:
        by_name = await client.fetch(Request(url=tls_site.url("/", host="other.test")))
        by_address = await client.fetch(Request(url=tls_site.url("/", host="127.0.0.2")))

    assert isinstance(by_name, Failed)
    assert by_name.message == "The certificate of other.test is for a different host name."
    assert isinstance(by_address, Failed)
    assert by_address.message == "The certificate of 127.0.0.2 is for a different address."


async def test_plain_http_on_an_encrypted_port_is_a_broken_answer(tls_site: Site, names: Names) -> None:
    async with client_for(tls_site, names) as client:
        result = await client.fetch(Request(url=tls_site.url("/").replace("https:", "http:")))

    assert isinstance(result, Failed)
    assert (result.outcome, result.reason) == (Outcome.TEMPORARY_ERROR, FailureReason.BROKEN)


async def test_an_encrypted_connection_that_breaks_is_a_broken_answer(
    tls_site: Site, names: Names, trusting: ssl.SSLContext
) -> None:
    tls_site.respond("/", resets(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"))

    async with client_for(tls_site, names, trusting) as client:
        result = await client.fetch(Request(url=tls_site.url("/")))

    assert isinstance(result, Failed)
    assert (result.outcome, result.reason) == (Outcome.TEMPORARY_ERROR, FailureReason.BROKEN)
    assert len(tls_site.requests) == 1


async def test_credentials_do_not_follow_from_https_to_http(
    site: Site, tls_site: Site, names: Names, trusting: ssl.SSLContext
) -> None:
    tls_site.redirect("/", site.page("/", "hello"))
    allowed = AllowedNetworks.parse([*site.endpoints, *tls_site.endpoints])

    async with Client(user_agent=USER_AGENT, allowed=allowed, tls=trusting) as client:
        await client.fetch(Request(url=tls_site.url("/"), headers={"Authorization": "Basic c2VjcmV0"}))

    assert tls_site.requests[0].headers["authorization"] == "Basic c2VjcmV0"
    assert "authorization" not in site.requests[0].headers
