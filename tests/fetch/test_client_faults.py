"""Every network error ends as a value, with the right reason, after one request."""

from __future__ import annotations

import asyncio

import pytest

from inforadar.fetch.client import Client
from inforadar.model.http import Failed, FailureReason, Fetched, Outcome, Request
from tests.support.site import Answer, Site
from tests.support.site.answers import (
    Fault,
    Script,
    bomb,
    chunks,
    drips,
    encoded,
    endless,
    half_closes,
    hangs,
    resets,
    sends,
    wrong_length,
)
from tests.support.site.names import Names

pytestmark = pytest.mark.both_loops

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n"
TEXT = "новости дня 新闻".encode() * 200


async def failure(client: Client, url: str, timeout_s: float | None = None) -> Failed:
    result = await client.fetch(Request(url=url, timeout_s=timeout_s))
    assert isinstance(result, Failed), result
    return result


BROKEN = {
    "a reset before any answer": resets(),
    "a reset inside the headers": resets(HEAD),
    "a reset inside the body": resets(HEAD + b"Content-Length: 1000\r\n\r\nhello"),
    "a reset inside a chunk": resets(HEAD + b"Transfer-Encoding: chunked\r\n\r\nff\r\nhello"),
    "the end before any answer": sends(b""),
    "half-closed before any answer": half_closes(),
    "half-closed inside the headers": half_closes(HEAD),
    "half-closed inside the body": half_closes(HEAD + b"Content-Length: 1000\r\n\r\nhello"),
    "a body shorter than announced": wrong_length(b"hello", announced=1000),
    "a body longer than announced": wrong_length(b"hello world", announced=5),
    "chunks without the last one": chunks(b"5\r\nhello\r\n"),
    "garbage for a chunk": chunks(b"5\r\nhello\r\n", b"zzz\r\nhello\r\n0\r\n\r\n"),
    "a chunk longer than it says": chunks(b"3\r\nhello\r\n0\r\n\r\n"),
    "a negative length": sends(HEAD + b"Content-Length: -5\r\n\r\nhello"),
    "two lengths that differ": sends(HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
    "something that is not HTTP": sends(b"220 mail.example ESMTP\r\n"),
    "bytes of TLS on a plain port": sends(b"\x15\x03\x01\x00\x02\x02\x46"),
    "text that is not gzip": Answer(body=TEXT, headers={"Content-Encoding": "gzip"}),
    "text that is not deflate": Answer(body=b"\xff" * 100, headers={"Content-Encoding": "deflate"}),
    "text that is not br": Answer(body=TEXT, headers={"Content-Encoding": "br"}),
    "text that is not zstd": Answer(body=TEXT, headers={"Content-Encoding": "zstd"}),
    "truncated gzip": encoded(TEXT, "gzip", cut=9),
    "gzip without its checksum": encoded(TEXT, "gzip", cut=4),
    "truncated deflate": encoded(TEXT, "deflate", cut=5),
    "truncated br": encoded(TEXT, "br", cut=1),
    "truncated zstd": encoded(TEXT, "zstd", cut=1),
    "truncated inner encoding": Answer(
        body=encoded(encoded(TEXT, "gzip", cut=9).body, "br").body, headers={"Content-Encoding": "gzip, br"}
    ),
    "an unknown encoding": Answer(body=TEXT, headers={"Content-Encoding": "sdch"}),
    "an encoding too many": encoded(TEXT, *["gzip"] * 5),
}


@pytest.mark.parametrize("fault", BROKEN.values(), ids=BROKEN.keys())
async def test_a_broken_answer_is_a_temporary_error_and_costs_one_request(
    client: Client, site: Site, fault: Answer | Fault
) -> None:
    url = site.respond("/rss", fault)

    result = await failure(client, url)

    assert (result.outcome, result.reason) == (Outcome.TEMPORARY_ERROR, FailureReason.BROKEN), result.message
    assert result.message.endswith(".")
    assert "127.0.0.1" in result.message
    assert len(site.requests) == 1


TOO_LARGE: dict[str, Script] = {
    "an endless body": endless(),
    "an endless chunked body": endless(
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"8000\r\n" + b"x" * 0x8000 + b"\r\n"
    ),
    "a length that says so": hangs(HEAD + b"Content-Length: 100001\r\n\r\n"),
    "an absurd length": hangs(HEAD + b"Content-Length: 99999999999999999\r\n\r\n"),
    "a gzip bomb": lambda _: bomb(50_000_000, "gzip"),
    "a deflate bomb": lambda _: bomb(50_000_000, "deflate"),
    "a br bomb": lambda _: bomb(50_000_000, "br"),
    "a zstd bomb": lambda _: bomb(50_000_000, "zstd"),
    "a bomb in a bomb": lambda _: Answer(
        body=encoded(bytes(50_000_000), "gzip", "gzip").body, headers={"Content-Encoding": "gzip, gzip"}
    ),
    "one byte too many": Answer(body=b"x" * 100_001),
    "one byte too many, compressed": encoded(b"x" * 100_001, "zstd"),
    "a huge header": sends(HEAD + b"X-Huge: " + b"x" * 100_000 + b"\r\n\r\n"),
    "an endless header": endless(HEAD + b"X-Huge: "),
    "an endless list of headers": endless(HEAD, b"X-Many: 1\r\n" * 100),
}


@pytest.mark.parametrize("fault", TOO_LARGE.values(), ids=TOO_LARGE.keys())
async def test_what_is_too_large_is_given_up_for_good(client: Client, site: Site, fault: Script) -> None:
    result = await failure(client, site.respond("/rss", fault))

    assert (result.outcome, result.reason) == (Outcome.PERMANENT_ERROR, FailureReason.TOO_LARGE), (
        result.message
    )
    assert len(site.requests) == 1


async def test_a_body_of_just_the_limit_is_taken(client: Client, site: Site) -> None:
    for number, answer in enumerate((Answer(body=b"x" * 100_000), encoded(b"x" * 100_000, "gzip"))):
        result = await client.fetch(Request(url=site.respond(f"/{number}", answer)))
        assert isinstance(result, Fetched)
        assert len(result.body) == 100_000


SLOW = {
    "silence": hangs(),
    "silence inside the headers": hangs(HEAD),
    "silence inside the body": hangs(HEAD + b"Content-Length: 1000\r\n\r\nhello"),
    "a body drop by drop": drips(HEAD + b"Content-Length: 100000\r\n\r\n", b"x"),
    "headers drop by drop": drips(HEAD + b"X-Slow: ", b"x"),
    "interim answers forever": drips(b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
}


@pytest.mark.parametrize("fault", SLOW.values(), ids=SLOW.keys())
async def test_what_takes_too_long_is_given_up_for_now(client: Client, site: Site, fault: Fault) -> None:
    result = await failure(client, site.respond("/rss", fault), timeout_s=0.2)

    assert (result.outcome, result.reason) == (Outcome.TEMPORARY_ERROR, FailureReason.TIMEOUT)
    assert result.message == "127.0.0.1 did not finish its response within 0.2 seconds."
    assert len(site.requests) == 1


async def test_padding_after_a_gzip_stream_is_ignored(client: Client, site: Site) -> None:
    whole = encoded(TEXT, "gzip").body
    url = site.respond("/rss", Answer(body=whole + bytes(512), headers={"Content-Encoding": "gzip"}))

    result = await client.fetch(Request(url=url))

    assert isinstance(result, Fetched)
    assert result.body == TEXT


async def test_a_port_where_nobody_listens_is_a_refused_connection(client: Client, site: Site) -> None:
    await site.stop_listening()

    result = await failure(client, site.url("/rss"))

    assert (result.outcome, result.reason) == (Outcome.TEMPORARY_ERROR, FailureReason.REFUSED)
    assert result.message == "127.0.0.1 refused the connection."


async def test_a_name_that_does_not_exist_is_a_dns_failure(client: Client) -> None:
    result = await failure(client, "http://nowhere.test/rss")

    assert (result.outcome, result.reason) == (Outcome.TEMPORARY_ERROR, FailureReason.DNS)
    assert result.message == "nowhere.test could not be resolved."


async def test_a_name_in_another_script_is_named_in_it(client: Client) -> None:
    result = await failure(client, "http://новости.example/rss")

    assert result.message == "новости.example could not be resolved."


async def test_https_on_a_plain_port_is_a_tls_failure(client: Client, site: Site) -> None:
    site.page("/rss", "hello")

    result = await failure(client, site.url("/rss").replace("http:", "https:"))

    assert (result.outcome, result.reason) == (Outcome.TEMPORARY_ERROR, FailureReason.TLS)
    assert result.message == "The TLS handshake with 127.0.0.1 failed."


async def test_a_kept_connection_that_breaks_is_tried_once_more(client: Client, site: Site) -> None:
    url = site.respond("/rss", [Answer(body=b"one"), resets(), Answer(body=b"two")])
    await client.fetch(Request(url=url))

    result = await client.fetch(Request(url=url))

    assert isinstance(result, Fetched)
    assert result.body == b"two"
    assert (len(site.requests), site.connections) == (3, 2)


async def test_the_connection_is_fit_for_use_after_an_error_status(client: Client, site: Site) -> None:
    site.respond("/missing", Answer(status=404, body=b"not here"))
    site.page("/rss", "hello")

    await failure(client, site.url("/missing"))
    await client.fetch(Request(url=site.url("/rss")))

    assert site.connections == 1


async def test_the_endless_body_of_an_error_is_not_waited_for(client: Client, site: Site) -> None:
    site.respond("/missing", endless(b"HTTP/1.1 404 Not Found\r\n\r\n"))
    site.respond("/moved", endless(b"HTTP/1.1 302 Found\r\nLocation: /rss\r\n\r\n"))
    site.page("/rss", "hello")

    missing = await failure(client, site.url("/missing"))
    moved = await client.fetch(Request(url=site.url("/moved")))

    assert missing.status == 404
    assert isinstance(moved, Fetched)


async def test_a_name_without_addresses_leads_nowhere(client: Client, names: Names) -> None:
    names.add("empty.test", [])

    assert (await failure(client, "http://empty.test/")).reason is FailureReason.DNS


async def test_many_requests_to_broken_and_sound_pages_do_not_disturb_each_other(
    client: Client, site: Site
) -> None:
    site.page("/fine", "hello")
    site.respond("/broken", resets(HEAD))
    site.respond("/large", endless())

    results = await asyncio.gather(
        *(
            client.fetch(Request(url=site.url(path, host=host)))
            for path in ("/fine", "/broken", "/large")
            for host in site.hosts
            for _ in range(4)
        )
    )

    ended = [type(result).__name__ for result in results]
    assert ended == ["Fetched"] * 20 + ["Failed"] * 40
