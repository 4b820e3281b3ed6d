"""Upstreams that break in every way, in one batch: each feed says what happened, and no other one suffers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from inforadar.app.worker import open_worker
from inforadar.config import Settings, load_settings
from inforadar.model.feed import Feed
from inforadar.model.http import Outcome
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed
from inforadar.store.feeds.queries import load_feed
from inforadar.store.items.queries import list_items
from tests.support.site.answers import (
    Step,
    chunks,
    drips,
    endless,
    half_closes,
    redirect,
    resets,
    sends,
    status,
    wrong_length,
)
from tests.support.site.documents import Entry, rss
from tests.support.site.server import Site

HEAD = b'HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nETag: "broken"\r\n'
TEMPORARY, PERMANENT = Outcome.TEMPORARY_ERROR, Outcome.PERMANENT_ERROR


BROKE = "127.0.0.1 closed the connection before its response was complete."
NOT_HTTP = "127.0.0.1 did not send a valid HTTP response."
REFUSED = "it is blocked unless FETCHER_ALLOWED_NETWORKS lists it."

FAULTS: dict[str, tuple[Step, Outcome, str]] = {
    "reset": (resets(), TEMPORARY, BROKE),
    "reset-in-body": (resets(HEAD + b"Content-Length: 1000\r\n\r\n<rss>"), TEMPORARY, BROKE),
    "half-closed": (half_closes(HEAD), TEMPORARY, BROKE),
    "half-closed-in-body": (half_closes(HEAD + b"Content-Length: 1000\r\n\r\n<rss>"), TEMPORARY, BROKE),
    "drip-fed": (
        drips(HEAD + b"Content-Length: 90000\r\n\r\n", b"<"),
        TEMPORARY,
        "127.0.0.1 did not finish its response within 5 seconds.",
    ),
    "endless": (endless(HEAD + b"\r\n"), PERMANENT, "The response from 127.0.0.1 is larger than 102 KB."),
    "too-short": (wrong_length(b"<rss>", announced=1000), TEMPORARY, BROKE),
    "too-long": (wrong_length(rss().encode(), announced=5), TEMPORARY, NOT_HTTP),
    "garbage-chunks": (chunks(b"5\r\nhello\r\n", b"zzz\r\n0\r\n\r\n"), TEMPORARY, NOT_HTTP),
    "not-http": (sends(b"220 mail.example ESMTP\r\n"), TEMPORARY, NOT_HTTP),
    "empty": (status(200, etag='"empty"'), PERMANENT, "The document is empty."),
    "loop": (redirect("/loop.xml", 302), PERMANENT, "127.0.0.1 redirects in a loop."),
    "private": (
        redirect("http://10.0.0.1/feed.xml"),
        PERMANENT,
        f"10.0.0.1 is a private address; {REFUSED}",
    ),
    "metadata": (
        redirect("http://169.254.169.254/latest/meta-data/"),
        PERMANENT,
        f"169.254.169.254 is a cloud's metadata service; {REFUSED}",
    ),
    "loopback": (
        redirect("http://[::ffff:127.0.0.1]:1/"),
        PERMANENT,
        f"[::ffff:7f00:1] is this machine; {REFUSED}",
    ),
    "file": (
        redirect("file:///etc/passwd"),
        PERMANENT,
        "127.0.0.1 redirects to something that is not a valid http or https URL.",
    ),
}
"""What each feed begins to answer after it was fine once; how its job must end, and what it then says."""


@pytest.fixture
def settings(tmp_path: Path, site: Site) -> Settings:
    return load_settings(tmp_path, {}).replaced(
        fetcher={
            "allowed_networks": tuple(site.endpoints),
            "domain_delay": 0,
            "request_timeout": 5,  # one second was too little beside other tests
            "job_timeout": 10,
            "max_body_size_mb": 0.1,
            "workers": 30,
        }
    )


async def add(database: Database, url: str) -> Feed:
    feed, _ = await database.write(insert_feed, url, enabled=True, polling=True)
    await database.write(request_feed, feed.id)
    return feed


def document(site: Site, name: str, number: int) -> str:
    return rss([Entry(url=site.url(f"/{name}/{number}"), title=f"{name} {number}")])


def has_backoff(feed: Feed) -> bool:
    """Five minutes, give or take a tenth."""
    return feed.next_run_at is not None and 260 < (feed.next_run_at - datetime.now(UTC)).total_seconds() < 331


async def test_every_fault_ends_as_its_feeds_own_and_the_rest_of_the_batch_is_stored(
    site: Site, database: Database, settings: Settings
) -> None:
    fine = [f"fine-{number}" for number in range(5)]
    feeds = {
        name: await add(database, site.feed(f"/{name}.xml", document(site, name, 1), etag='"1"'))
        for name in (*FAULTS, *fine)
    }
    async with open_worker(settings, database) as worker:
        result, _ = await worker.collecting.claim_and_collect()
        assert (result.added, result.errors) == (len(feeds), {})

        for name, (fault, _, _) in FAULTS.items():
            site.respond(f"/{name}.xml", fault)
        for name in fine:
            site.feed(f"/{name}.xml", document(site, name, 2), etag='"2"')
        for feed in feeds.values():
            await database.write(request_feed, feed.id)
        result, _ = await worker.collecting.claim_and_collect()
    assert result.added == len(fine)
    assert result.errors == {feeds[name].url: says for name, (_, _, says) in FAULTS.items()}

    for name, (_, outcome, says) in FAULTS.items():
        after = await database.read(load_feed, feeds[name].id)
        assert (name, after.last_fetch_status, after.last_error) == (name, outcome, says)
        assert (name, has_backoff(after), after.next_run_at is None) == (
            name,
            outcome is TEMPORARY,
            outcome is PERMANENT,
        )
        assert (after.failures, after.locked_until, after.requested_at) == (1, None, None)
        # What could not be stored is asked for again as before.
        assert (name, after.validators.etag) == (name, '"1"')
        assert after.url == feeds[name].url
    for name in fine:
        after = await database.read(load_feed, feeds[name].id)
        assert (after.last_fetch_status, after.last_error) == (Outcome.SUCCESS, None)
        assert after.validators.etag == '"2"'
    assert len(await database.read(list_items, limit=100)) == len(feeds) + len(fine)


async def test_faults_of_a_first_request_leave_a_feed_without_validators(
    site: Site, database: Database, settings: Settings
) -> None:
    fine = await add(database, site.feed("/fine.xml", document(site, "fine", 1), etag='"1"'))
    unasked = await add(database, site.respond("/304.xml", status(304, etag='"unseen"')))
    tls = await add(database, site.url("/tls.xml").replace("http:", "https:"))
    async with open_worker(settings, database) as worker:
        result, _ = await worker.collecting.claim_and_collect()
        said = dict(result.errors)
        for feed in (unasked, tls):
            after = await database.read(load_feed, feed.id)
            assert after.last_fetch_status is TEMPORARY
            assert has_backoff(after)
            assert not after.validators
            assert said.pop(feed.url) == after.last_error
        assert said == {}
        assert "304 (not modified) to an unconditional request" in result.errors[unasked.url]
        assert "The TLS handshake with" in result.errors[tls.url]
        assert (await database.read(load_feed, fine.id)).last_fetch_status is Outcome.SUCCESS

        site.feed("/304.xml", document(site, "304", 1), etag='"seen"')
        await database.write(request_feed, unasked.id)
        await worker.collecting.claim_and_collect()
    assert all("if-none-match" not in request.headers for request in site.requests_for("/304.xml"))
    assert (await database.read(load_feed, unasked.id)).validators.etag == '"seen"'
