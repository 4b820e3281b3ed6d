"""The Link header: relations, several links, relative targets, nonsense."""

from __future__ import annotations

import pytest

from inforadar.fetch.links import find_links

BASE = "https://news.example/feed.xml"


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ('<https://hub.example/>; rel="hub"', ["https://hub.example/"]),
        ("<https://hub.example/?a=1,2>; rel=hub", ["https://hub.example/?a=1,2"]),
        (
            '<https://a.example/>; rel="self hub", <https://b.example/>; title="x, y"; REL="Hub"',
            ["https://a.example/", "https://b.example/"],
        ),
        ("</hub>; rel=hub", ["https://news.example/hub"]),
        ('<https://hub.example/?utm_source=x>; rel="hub"', ["https://hub.example/?utm_source=x"]),
        ('<https://hub.example/>; rel="hub"; anchor="https://other.example/"', []),
        ('<https://hub.example/>; rel="self"', []),
        ('<javascript:alert(1)>; rel="hub"', []),
        ("https://hub.example/; rel=hub", []),
        ("<<<<;;;,,", []),
        ("<a" * 100_000, []),
    ],
)
def test_links_of_a_relation_are_found(header: str, found: list[str]) -> None:
    assert find_links(header, "hub", BASE) == found
