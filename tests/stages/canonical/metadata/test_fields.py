"""Titles, authors and languages as pages state and show them."""

from __future__ import annotations

import pytest

from inforadar.model.article import Extracted
from inforadar.stages.canonical import extract

TEXT = "".join(
    f"<p>The harbour council voted on Tuesday evening to close ferry pier {number} for {number} years.</p>"
    for number in range(2, 9)
)


def article(head: str, top: str, text: str = TEXT) -> Extracted:
    page = f"<html><head>{head}</head><body><article>{top}{text}</article></body></html>"
    found = extract(page.encode(), "https://quay.example/pier")
    assert isinstance(found, Extracted), found
    return found


@pytest.mark.parametrize(
    ("stated", "headline", "title"),
    [
        ("The ferry pier is closed", "Blog: The ferry pier is closed", "The ferry pier is closed"),
        ("The ferry pier is closed", "18 мая 2026 The ferry pier is closed", "The ferry pier is closed"),
        ("The ferry pier is closed", "The ferry pier is closed | Opinion", "The ferry pier is closed"),
        ("Ferry pier closed", "Why the ferry pier was closed", "Why the ferry pier was closed"),
    ],
)
def test_a_title_has_no_label(stated: str, headline: str, title: str) -> None:
    head = f"<title>{stated}</title><meta property=og:title content='{stated}'>"
    assert article(head, f"<h1>{headline}</h1>").title == title


def test_a_headline_that_names_the_site_is_no_title() -> None:
    head = "<title>Harbour News Daily: Small ships</title><meta property=og:title content='Small ships'>"
    assert article(head, "<h1>Harbour News Daily</h1>").title == "Small ships"


def author(kind: str, name: str) -> str:
    who = f'{{"@type":"{kind}","name":"{name}"}}'
    return (
        f'<title>Pier</title><meta property=og:site_name content="Jane Roe">'
        f'<script type="application/ld+json">{{"@type":"NewsArticle","author":{who}}}</script>'
    )


def test_the_publisher_is_no_author_but_a_person_of_the_same_name_is() -> None:
    assert article(author("Organization", "The Quay"), "<h1>Pier</h1>").author is None
    byline = "<h1>Pier</h1><a rel=author>Анна Петрова</a>"
    assert article(author("Organization", "Jane Roe"), byline).author == "Анна Петрова"
    assert article(author("Person", "Jane Roe"), "<h1>Pier</h1>").author == "Jane Roe"


def test_a_language_in_latin_letters_is_told_by_its_words() -> None:
    german = "".join(
        f"<p>Der Rat hat am {day}. Mai beschlossen, die Brücke für {day} Jahre zu schließen, und das ist gut.</p>"
        for day in range(2, 9)
    )
    assert article("<title>x</title>", "", german).language == "de"
    assert article("<meta http-equiv=content-language content=fr><title>x</title>", "").language == "en"
