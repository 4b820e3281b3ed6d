"""The client against a real site on loopback: what it sends, and how it returns good responses."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from inforadar.errors import ConfigError
from inforadar.fetch.client import Client
from inforadar.fetch.guard import AllowedNetworks
from inforadar.model.http import Failed, FailureReason, Fetched, NotModified, Outcome, Request, Validators
from tests.support.site import Answer, Site
from tests.support.site.answers import encoded, hangs, raw_deflate, sends, status
from tests.support.site.documents import entries, rss
from tests.support.site.fixtures import USER_AGENT

pytestmark = pytest.mark.both_loops

DATE = "Tue, 01 Jul 2025 10:00:00 GMT"


async def fetched(client: Client, url: str, validators: Validators | None = None) -> Fetched:
    result = await client.fetch(Request(url=url, validators=validators or Validators()))
    assert isinstance(result, Fetched), result
    return result


async def failed(client: Client, url: str, **options: float) -> Failed:
    result = await client.fetch(Request(url=url, timeout_s=options.get("timeout_s")))
    assert isinstance(result, Failed), result
    return result


async def test_a_document_is_fetched_whole_and_then_not_again(client: Client, site: Site) -> None:
    document = rss(entries(3), title="Новости 新闻 أخبار 📰")
    url = site.feed("/rss", document, etag='"v1"', last_modified=DATE)

    first = await fetched(client, url)
    again = await client.fetch(Request(url=url, validators=first.validators))

    assert first.body == document.encode()
    assert first.content_type == "application/rss+xml; charset=utf-8"
    assert first.validators == Validators(etag='"v1"', last_modified=DATE, url=url)
    assert (first.final_url, first.moved_to, first.status) == (url, None, 200)
    assert isinstance(again, NotModified)
    assert len(site.requests) == 2
    assert site.connections == 1


async def test_a_first_request_is_unconditional_and_says_who_asks(client: Client, site: Site) -> None:
    await fetched(client, site.page("/", "hello"))

    headers = dict(site.requests[0].headers)
    assert headers.pop("host") == f"127.0.0.1:{site.port}"
    assert headers == {
        "user-agent": USER_AGENT,
        "accept": "*/*",
        "accept-encoding": "gzip, deflate, br, zstd",
    }


@pytest.mark.parametrize(
    "etag",
    ['"v1"', 'W/"a b, c"', "unquoted", '"ж新😀"', '"tab\tinside"', '"\\"', "''", '"' + "x" * 4000 + '"'],
)
async def test_validators_go_back_byte_for_byte(client: Client, site: Site, etag: str) -> None:
    as_sent = etag.encode().decode("latin-1")
    url = site.feed("/rss", "text", etag=as_sent, last_modified="yesterday, more or less")

    first = await fetched(client, url)
    await client.fetch(Request(url=url, validators=first.validators))

    assert site.requests[1].headers["if-none-match"] == as_sent
    assert site.requests[1].headers["if-modified-since"] == "yesterday, more or less"


@pytest.mark.parametrize("etag", ['"\xe9"', '"\x01"', '"\x7f"', '"a\xff\xfe"'])
async def test_a_validator_that_cannot_go_back_unchanged_is_not_kept(
    client: Client, site: Site, etag: str
) -> None:
    url = site.feed("/rss", "text", etag=etag, last_modified=DATE)

    first = await fetched(client, url)

    assert first.validators == Validators(last_modified=DATE, url=url)


async def test_validators_of_another_url_are_not_sent(client: Client, site: Site) -> None:
    url = site.feed("/rss", "text", etag='"v1"')

    await fetched(client, url, Validators(etag='"v1"', url=site.url("/other")))
    result = await client.fetch(Request(url=url, validators=Validators(etag='"v1"')))

    assert "if-none-match" not in site.requests[0].headers
    assert isinstance(result, NotModified)


async def test_a_304_brings_its_new_validators_along(client: Client, site: Site) -> None:
    url = site.respond("/rss", status(304, etag='"v2"'))

    result = await client.fetch(Request(url=url, validators=Validators(etag='"v1"')))

    assert isinstance(result, NotModified)
    assert result.validators == Validators(etag='"v2"', url=url)


async def test_a_304_that_nobody_asked_for_is_an_error_of_the_server(client: Client, site: Site) -> None:
    url = site.respond("/rss", status(304))

    result = await failed(client, url)

    assert (result.outcome, result.reason) == (Outcome.TEMPORARY_ERROR, FailureReason.BROKEN)
    assert result.message == "127.0.0.1 answered 304 (not modified) to an unconditional request."


@pytest.mark.parametrize(
    "encodings",
    [
        ("gzip",),
        ("x-gzip",),
        ("deflate",),
        ("br",),
        ("zstd",),
        ("identity",),
        ("gzip", "br"),
        ("zstd", "gzip"),
    ],
)
async def test_every_encoding_that_we_ask_for_is_decoded(
    client: Client, site: Site, encodings: tuple[str, ...]
) -> None:
    url = site.respond("/rss", encoded("Привет 世界 🌍".encode() * 500, *encodings))

    assert (await fetched(client, url)).body == "Привет 世界 🌍".encode() * 500


async def test_deflate_without_its_header_is_decoded_too(client: Client, site: Site) -> None:
    answer = Answer(body=raw_deflate(b"text " * 100), headers={"Content-Encoding": "deflate"})

    assert (await fetched(client, site.respond("/rss", answer))).body == b"text " * 100


async def test_a_chunked_body_is_put_together(client: Client, site: Site) -> None:
    url = site.respond(
        "/rss",
        sends(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nHello\r\n6;x=y\r\n world\r\n0\r\n\r\n"
        ),
    )

    assert (await fetched(client, url)).body == b"Hello world"


async def test_an_empty_body_is_an_answer(client: Client, site: Site) -> None:
    plain = site.respond("/rss", Answer())
    compressed = site.respond("/gz", Answer(headers={"Content-Encoding": "gzip"}))

    assert (await fetched(client, plain)).body == b""
    assert (await fetched(client, compressed)).body == b""


async def test_cookies_are_not_kept_and_no_referer_is_sent(client: Client, site: Site) -> None:
    site.respond("/a", status(302, location="/b", set_cookie="id=1; Path=/"))
    site.page("/b", "hello")

    await fetched(client, site.url("/a"))
    await fetched(client, site.url("/b"))

    assert all("cookie" not in request.headers for request in site.requests)
    assert all("referer" not in request.headers for request in site.requests)


async def test_header_fields_given_twice_become_one(client: Client, site: Site) -> None:
    url = site.respond(
        "/rss",
        sends(
            b'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nCache-Control: public\r\nETag: "a"\r\n'
            b'CACHE-CONTROL: max-age=60\r\nETag: "b"\r\n\r\n'
        ),
    )

    result = await fetched(client, url)

    assert result.headers["cache-control"] == "public, max-age=60"
    assert result.validators.etag == '"a"'


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (201, Outcome.TEMPORARY_ERROR),
        (206, Outcome.TEMPORARY_ERROR),
        (300, Outcome.TEMPORARY_ERROR),
        (400, Outcome.PERMANENT_ERROR),
        (401, Outcome.UNAUTHORIZED),
        (403, Outcome.UNAUTHORIZED),
        (404, Outcome.PERMANENT_ERROR),
        (410, Outcome.PERMANENT_ERROR),
        (418, Outcome.PERMANENT_ERROR),
        (429, Outcome.TEMPORARY_ERROR),
        (500, Outcome.TEMPORARY_ERROR),
        (503, Outcome.TEMPORARY_ERROR),
        (599, Outcome.TEMPORARY_ERROR),
    ],
)
async def test_a_status_has_its_outcome(client: Client, site: Site, code: int, outcome: Outcome) -> None:
    result = await failed(client, site.respond("/rss", status(code, b"some body")))

    assert (result.outcome, result.reason, result.status) == (outcome, FailureReason.STATUS, code)
    assert result.message.startswith(f"127.0.0.1 answered {code}.")


async def test_429_and_503_say_how_long_to_wait(site: Site) -> None:
    now = datetime(2025, 7, 1, 10, 0, tzinfo=UTC)
    site.respond("/seconds", status(429, retry_after="120"))
    site.respond("/date", status(503, retry_after="Tue, 01 Jul 2025 10:05:00 GMT"))
    site.respond("/other", status(500, retry_after="120"))

    async with Client(
        user_agent=USER_AGENT, allowed=AllowedNetworks.parse(site.endpoints), clock=lambda: now
    ) as client:
        waits = [
            (await failed(client, site.url(path))).retry_after_s for path in ("/seconds", "/date", "/other")
        ]

    assert waits == [120.0, 300.0, None]


async def test_a_date_beyond_all_time_breaks_no_request(client: Client, site: Site) -> None:
    never = "Fri, 31 Dec 9999 23:59:59 -0500"
    busy = site.respond("/busy", status(503, retry_after=never))
    assert (await failed(client, busy)).retry_after_s is None
    url = site.respond("/rss", Answer(body=b"x", headers={"Expires": never}))
    assert (await fetched(client, url)).body == b"x"


async def test_a_request_may_set_its_own_limits(client: Client, site: Site) -> None:
    url = site.respond("/rss", Answer(body=b"x" * 150_000))

    assert (await failed(client, url)).reason is FailureReason.TOO_LARGE
    larger = await client.fetch(Request(url=url, max_bytes=150_000))
    assert isinstance(larger, Fetched)
    smaller = await client.fetch(Request(url=url, max_bytes=149_999))
    assert isinstance(smaller, Failed)


async def test_cancelling_passes_through(client: Client, site: Site) -> None:
    url = site.respond("/rss", hangs())
    task = asyncio.create_task(client.fetch(Request(url=url)))
    await site.wait_for_requests(1)

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize(
    "url",
    ["", "news", "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "http://[::1/", "javascript:alert(1)"],
)
async def test_what_is_no_web_address_is_not_requested(client: Client, url: str) -> None:
    result = await failed(client, url)

    assert (result.outcome, result.reason) == (Outcome.PERMANENT_ERROR, FailureReason.URL)


async def test_a_url_with_credentials_is_refused_without_repeating_them(client: Client, site: Site) -> None:
    url = site.url("/rss").replace("http://", "http://user:secret@")

    result = await failed(client, url)

    assert (result.outcome, result.reason) == (Outcome.PERMANENT_ERROR, FailureReason.URL)
    assert "secret" not in result.message
    assert "set them as a header" in result.message
    assert site.requests == []


@pytest.mark.parametrize(
    ("name", "value"), [("X-Key", "a\r\nX-Other: b"), ("X-Key\r\nX-Other", "b"), ("", "b")]
)
async def test_a_header_that_would_smuggle_another_is_not_sent(
    client: Client, site: Site, name: str, value: str
) -> None:
    result = await client.fetch(Request(url=site.url("/rss"), headers={name: value}))

    assert isinstance(result, Failed)
    assert result.reason is FailureReason.URL
    assert site.requests == []


async def test_headers_in_latin_1_become_text_that_can_be_stored(client: Client, site: Site) -> None:
    url = site.respond(
        "/rss", Answer(headers={"X-Cafe": "caf\xe9", "Server": "ж".encode().decode("latin-1")})
    )

    headers = (await fetched(client, url)).headers

    assert headers["x-cafe"] == "café"
    assert headers["server"] == "ж"


@pytest.mark.parametrize("agent", ["", "  ", "a\r\nb", "a\x00"])
def test_a_user_agent_that_cannot_be_sent_is_a_wrong_setting(agent: str) -> None:
    with pytest.raises(ConfigError, match="User-Agent"):
        Client(user_agent=agent)


async def test_a_connection_that_went_stale_in_the_pool_is_replaced_at_once(
    client: Client, site: Site
) -> None:
    site.page("/rss", "hello")
    await fetched(client, site.url("/rss"))
    await site.drop_connections()

    assert (await fetched(client, site.url("/rss"))).body == b"hello"
    assert site.connections == 2
