"""The client against a real site on loopback: what it sends, what it follows, how it ends."""

from __future__ import annotations

from inforadar.fetch.client import Client
from inforadar.model.http import Fetched, NotModified, Request
from tests.site import Site
from tests.site.documents import entries, rss


async def test_a_document_is_fetched_whole(client: Client, site: Site) -> None:
    document = rss(entries(3), title="Новости 新闻 أخبار 📰")
    url = site.feed("/rss", document, etag='"v1"', last_modified="Tue, 01 Jul 2025 10:00:00 GMT")

    result = await client.fetch(Request(url=url))

    assert isinstance(result, Fetched)
    assert result.body == document.encode()
    assert result.validators.etag == '"v1"'

    again = await client.fetch(Request(url=url, validators=result.validators))
    assert isinstance(again, NotModified)
    assert site.connections == 1
