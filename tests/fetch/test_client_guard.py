"""The guard in the client: it connects only to public or allowed addresses, however they are written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from inforadar.fetch.client import Client
from inforadar.fetch.guard import AllowedNetworks
from inforadar.model.http import Failed, FailureReason, Fetched, Outcome, Request
from tests.support.site import Site
from tests.support.site.fixtures import USER_AGENT
from tests.support.site.names import Names

pytestmark = pytest.mark.both_loops


@pytest.fixture
async def strict(names: Names) -> AsyncIterator[Client]:
    """A client that may not connect to loopback."""
    async with Client(user_agent=USER_AGENT, timeout_s=10.0, resolver=names) as client:
        yield client


async def refusal(client: Client, url: str) -> str:
    result = await client.fetch(Request(url=url))
    assert isinstance(result, Failed), result
    assert (result.outcome, result.reason) == (Outcome.PERMANENT_ERROR, FailureReason.GUARD), result
    return result.message


async def test_loopback_is_refused_before_anything_is_sent(strict: Client, site: Site) -> None:
    message = await refusal(strict, site.page("/", "secret"))

    assert message == ("127.0.0.1 is this machine; it is blocked unless FETCHER_ALLOWED_NETWORKS lists it.")
    assert site.connections == 0


@pytest.mark.parametrize(
    "host",
    ["127.1", "0x7f000001", "2130706433", "0177.0.0.1", "１２７.0.0.1", "127。0。0。1", "[::ffff:127.0.0.1]",
     "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "0", "[::]", "127.0.0.1."],
)  # fmt: skip
async def test_another_spelling_of_loopback_is_refused_too(strict: Client, site: Site, host: str) -> None:
    await refusal(strict, f"http://{host}:{site.port}/")

    assert site.connections == 0


async def test_a_name_for_loopback_is_refused(strict: Client, site: Site, names: Names) -> None:
    names.add("inside.test", "127.0.0.1")

    message = await refusal(strict, site.url("/", host="inside.test"))

    assert message.startswith("inside.test resolves to 127.0.0.1, which is this machine;")
    assert site.connections == 0


@pytest.mark.parametrize(
    "addresses", [["93.184.216.34", "127.0.0.1"], ["127.0.0.1", "93.184.216.34"], ["2606:4700::1111", "::1"]]
)
async def test_a_name_with_one_forbidden_address_is_refused_as_a_whole(
    strict: Client, site: Site, names: Names, addresses: list[str]
) -> None:
    names.add("mixed.test", addresses)

    await refusal(strict, site.url("/", host="mixed.test"))

    assert site.connections == 0


async def test_a_name_that_is_bound_anew_is_judged_anew(site: Site, names: Names) -> None:
    """The first lookup returns an allowed address, the second a forbidden one."""
    names.add("rebound.test", "127.0.0.1", "127.0.0.2")
    site.page("/", "hello")

    async with Client(
        user_agent=USER_AGENT,
        allowed=AllowedNetworks.parse([f"127.0.0.1:{site.port}"]),
        resolver=names,
        dns_ttl_s=0,
        keepalive_s=0,
    ) as client:
        first = await client.fetch(Request(url=site.url("/", host="rebound.test")))
        await site.drop_connections()
        message = await refusal(client, site.url("/", host="rebound.test"))

    assert isinstance(first, Fetched)
    assert message.startswith("rebound.test resolves to 127.0.0.2, which is this machine;")
    assert [request.address for request in site.requests] == ["127.0.0.1"]
    assert names.lookups == ["rebound.test", "rebound.test"]


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
async def test_a_redirect_into_a_private_network_is_not_followed(
    client: Client, site: Site, code: int
) -> None:
    async with Site() as inside:
        site.redirect("/", inside.page("/", "secret"), code)
        await refusal(client, site.url("/"))

        assert inside.connections == 0


async def test_a_redirect_to_a_name_for_a_private_address_is_not_followed(
    client: Client, site: Site, names: Names
) -> None:
    names.add("router.test", "192.168.1.1")
    site.redirect("/", "http://router.test/")

    message = await refusal(client, site.url("/"))

    assert message.startswith("router.test resolves to 192.168.1.1, which is a private address;")


async def test_a_redirect_with_credentials_in_it_is_not_followed(client: Client, site: Site) -> None:
    site.redirect("/", site.url("/x").replace("http://", "http://news.example@"))

    result = await client.fetch(Request(url=site.url("/")))

    assert isinstance(result, Failed)
    assert (result.outcome, result.reason) == (Outcome.PERMANENT_ERROR, FailureReason.REDIRECTS)
    assert len(site.requests) == 1


async def test_the_metadata_service_is_refused_by_name(client: Client) -> None:
    message = await refusal(client, "http://169.254.169.254/latest/meta-data/")

    assert message.startswith("169.254.169.254 is a cloud's metadata service;")


async def test_one_allowed_endpoint_opens_no_other_port(site: Site) -> None:
    async with (
        Site() as other,
        Client(user_agent=USER_AGENT, allowed=AllowedNetworks.parse([f"127.0.0.1:{site.port}"])) as client,
    ):
        site.page("/", "hello")
        assert isinstance(await client.fetch(Request(url=site.url("/"))), Fetched)
        await refusal(client, other.url("/"))
        await refusal(client, site.url("/", host="127.0.0.2"))

        assert other.connections == 0


async def test_many_waiting_for_one_forbidden_name_are_all_refused(strict: Client, names: Names) -> None:
    names.add("inside.test", "10.0.0.1")

    results = await asyncio.gather(*(strict.fetch(Request(url=f"http://inside.test/{n}")) for n in range(20)))

    assert {result.reason for result in results if isinstance(result, Failed)} == {FailureReason.GUARD}
    assert len(results) == 20


async def test_the_systems_own_resolver_is_guarded_too(site: Site) -> None:
    async with Client(user_agent=USER_AGENT) as client:
        message = await refusal(client, site.url("/", host="localhost"))

    assert message.startswith("localhost resolves to ")
    assert site.connections == 0


@pytest.mark.parametrize("host", ["a..b", "x" * 64 + ".test"])
async def test_a_name_that_cannot_be_asked_for_leads_nowhere(host: str) -> None:
    async with Client(user_agent=USER_AGENT) as client:
        result = await client.fetch(Request(url=f"http://{host}/"))

    assert isinstance(result, Failed)
    assert result.reason is FailureReason.DNS
