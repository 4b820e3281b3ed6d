"""Redirects hop by hop: which ones count as a move, what is sent along, and where they end."""

from __future__ import annotations

import asyncio

import pytest

from inforadar.fetch.client import Client
from inforadar.fetch.redirect import RedirectChain
from inforadar.model.http import Failed, FailureReason, Fetched, NotModified, Outcome, Request, Validators
from tests.support.site import Site
from tests.support.site.answers import hangs, status

pytestmark = pytest.mark.both_loops


@pytest.mark.parametrize(
    ("statuses", "moved"),
    [
        ([301], True),
        ([308], True),
        ([301, 308, 301], True),
        ([302], False),
        ([303], False),
        ([307], False),
        ([301, 302], False),
        ([302, 301], False),
    ],
)
async def test_a_url_has_moved_only_if_every_hop_says_so(
    client: Client, site: Site, statuses: list[int], moved: bool
) -> None:
    for number, code in enumerate(statuses):
        site.redirect(f"/{number}", f"/{number + 1}", code)
    target = site.page(f"/{len(statuses)}", "here")

    result = await client.fetch(Request(url=site.url("/0")))

    assert isinstance(result, Fetched)
    assert result.final_url == target
    assert result.moved_to == (target if moved else None)
    assert result.url == site.url("/0")


async def test_ten_redirects_are_followed_and_eleven_are_not(client: Client, site: Site) -> None:
    for number in range(11):
        site.redirect(f"/{number}", f"/{number + 1}")
    site.page("/11", "here")

    ten = await client.fetch(Request(url=site.url("/1")))
    eleven = await client.fetch(Request(url=site.url("/0")))

    assert isinstance(ten, Fetched)
    assert isinstance(eleven, Failed)
    assert (eleven.outcome, eleven.reason) == (Outcome.PERMANENT_ERROR, FailureReason.REDIRECTS)
    assert eleven.message == "127.0.0.1 redirects more than 10 times."
    assert len(site.requests) == 11 + 11


@pytest.mark.parametrize("ring", [["/a"], ["/a", "/b"], ["/a", "/b", "/c"]])
async def test_a_circle_ends_at_its_first_repetition(client: Client, site: Site, ring: list[str]) -> None:
    for here, there in zip(ring, ring[1:] + ring[:1], strict=True):
        site.redirect(here, there, 302)

    result = await client.fetch(Request(url=site.url("/a")))

    assert isinstance(result, Failed)
    assert (result.outcome, result.reason) == (Outcome.PERMANENT_ERROR, FailureReason.REDIRECTS)
    assert result.message == "127.0.0.1 redirects in a loop."
    assert len(site.requests) == len(ring)


async def test_a_fragment_alone_does_not_break_a_circle(client: Client, site: Site) -> None:
    site.redirect("/a", "/a#again")

    result = await client.fetch(Request(url=site.url("/a")))

    assert isinstance(result, Failed)
    assert len(site.requests) == 1


@pytest.mark.parametrize(
    "location", ["", "ftp://news.example/", "javascript:alert(1)", "http://", "file:///etc/passwd"]
)
async def test_a_redirect_to_no_web_address_is_not_followed(
    client: Client, site: Site, location: str
) -> None:
    result = await client.fetch(Request(url=site.redirect("/a", location)))

    assert isinstance(result, Failed)
    assert result.reason is (FailureReason.REDIRECTS if location else FailureReason.BROKEN)


async def test_a_location_may_be_relative_and_in_any_script(client: Client, site: Site) -> None:
    site.redirect("/a/b", "../новости?тема=мир".encode().decode("latin-1"))
    site.page("/%D0%BD%D0%BE%D0%B2%D0%BE%D1%81%D1%82%D0%B8", "here")

    result = await client.fetch(Request(url=site.url("/a/b")))

    assert isinstance(result, Fetched)
    assert site.requests[1].target.endswith("?%D1%82%D0%B5%D0%BC%D0%B0=%D0%BC%D0%B8%D1%80")


async def test_a_location_in_latin_1_is_followed_byte_for_byte(client: Client, site: Site) -> None:
    site.redirect("/a", "/caf\xe9?q=\xfc")
    site.page("/caf%E9", "here")

    result = await client.fetch(Request(url=site.url("/a")))

    assert isinstance(result, Fetched)
    assert site.requests[1].target == "/caf%E9?q=%FC"


async def test_what_is_escaped_in_a_url_stays_as_it_was(client: Client, site: Site) -> None:
    target = "/a%2Fb/%7Ec?q=%27x%27+y&=&z"
    site.page(target, "here")

    result = await client.fetch(Request(url=site.url(target)))

    assert isinstance(result, Fetched)
    assert site.requests[0].target == target


async def test_credentials_stay_with_their_origin(client: Client, site: Site) -> None:
    site.redirect("/a", "/b", 302)
    site.redirect("/b", site.url("/c", host="127.0.0.2"), 302)
    site.redirect("/c", site.url("/d"), 302)
    site.page("/d", "here")

    await client.fetch(Request(url=site.url("/a"), headers={"Authorization": "Bearer secret"}))

    sent = {request.path: request.headers.get("authorization") for request in site.requests}
    assert sent == {"/a": "Bearer secret", "/b": "Bearer secret", "/c": None, "/d": None}


def test_credentials_go_with_an_upgrade_to_https_and_not_back() -> None:
    chain = RedirectChain.start(
        Request(url="http://example.com/a", headers={"Authorization": "Bearer secret"})
    )

    assert chain.follow(301, "https://example.com/a", 10) is None
    assert chain.credentials == {"Authorization": "Bearer secret"}
    assert chain.follow(301, "http://example.com/b", 10) is None
    assert chain.credentials == {}


async def test_validators_go_to_the_hop_that_gave_them(client: Client, site: Site) -> None:
    site.redirect("/a", "/b", 302)
    site.feed("/b", "text", etag='"v1"')

    first = await client.fetch(Request(url=site.url("/a")))
    assert isinstance(first, Fetched)
    again = await client.fetch(Request(url=site.url("/a"), validators=first.validators))

    assert isinstance(again, NotModified)
    assert first.validators == Validators(etag='"v1"', url=site.url("/b"))
    assert [request.headers.get("if-none-match") for request in site.requests] == [None, None, None, '"v1"']


async def test_validators_of_unknown_url_go_to_every_hop_of_the_same_origin(
    client: Client, site: Site
) -> None:
    site.redirect("/a", "/b", 302)
    site.redirect("/b", site.url("/c", host="127.0.0.2"), 302)
    site.feed("/c", "text", etag='"v1"')

    result = await client.fetch(Request(url=site.url("/a"), validators=Validators(etag='"v1"')))

    assert isinstance(result, Fetched)
    assert [request.headers.get("if-none-match") for request in site.requests] == ['"v1"', '"v1"', None]


async def test_the_deadline_covers_all_hops_together(client: Client, site: Site) -> None:
    site.redirect("/a", "/b", 302)
    site.respond("/b", hangs())

    result = await client.fetch(Request(url=site.url("/a"), timeout_s=0.2))

    assert isinstance(result, Failed)
    assert result.reason is FailureReason.TIMEOUT


async def test_whoever_paces_is_asked_before_each_further_hop_and_outside_the_deadline(
    client: Client, site: Site
) -> None:
    site.redirect("/a", site.url("/b", host="127.0.0.2"), 302)
    site.redirect("/b", "/c", 302)
    site.page("/c", "here")
    asked: list[str] = []

    async def turn(url: str) -> Failed | None:
        asked.append(url)
        if len(asked) == 1:
            await asyncio.sleep(1.1)
        return None

    result = await client.fetch(Request(url=site.url("/a"), timeout_s=1.0), before_redirect=turn)

    assert isinstance(result, Fetched)
    assert asked == [site.url("/b", host="127.0.0.2"), site.url("/c", host="127.0.0.2")]


async def test_whoever_paces_may_refuse_a_hop(client: Client, site: Site) -> None:
    site.redirect("/a", "/b", 302)
    origin = await client.fetch(Request(url=site.respond("/x", status(404))))
    assert isinstance(origin, Failed)

    async def refuse(_url: str) -> Failed | None:
        return origin

    assert await client.fetch(Request(url=site.url("/a")), before_redirect=refuse) is origin
    assert [request.path for request in site.requests] == ["/x", "/a"]
