"""The name of a site, from the head of a page."""

from __future__ import annotations

import time

import pytest

from inforadar.stages.discover.site_title import find_site_title


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>Home</title><meta property='og:site_name' content='Gazeta &amp; Co'>", "Gazeta & Co"),
        ('<META NAME="application-name" CONTENT="Хабр"><title>x</title>', "Хабр"),
        ('<meta content="新闻" property="og:site_name"/>', "新闻"),
        ("<title>\n Harbour  Post\n</title><title>no</title>", "Harbour Post"),
        ('<meta property="og:site_name" content=" "><title>T</title>', "T"),
        ("<svg><title></title></svg>", None),
        ("", None),
        ("<title>" + "x" * 900 + "</title>", "x" * 199 + "…"),
    ],
)
def test_a_page_names_its_site(html: str, title: str | None) -> None:
    assert find_site_title(html) == title


def test_a_hostile_page_costs_little() -> None:
    began = time.process_time()
    for html in ("<meta " * 100_000, '<meta a="' * 50_000, "<title" + " " * 500_000, "<title>a" * 100_000):
        find_site_title(html)
    assert time.process_time() - began < 1
