"""What is an article and what is not, on the smallest pages that show it."""

from __future__ import annotations

import pytest

from inforadar.model.article import Extracted, NotExtracted
from inforadar.stages.canonical import extract

URL = "https://quay.example/news/pier"


def sentences(count: int) -> str:
    return "".join(
        f"<p>The harbour council voted on Tuesday evening to close the pier {number} for {number} years.</p>"
        for number in range(2, 2 + count)
    )


def page(body: str, head: str = "", title: str = "Pier closed") -> bytes:
    start = f"<!doctype html><html lang=en><head><title>{title}</title>{head}</head>"
    return f"{start}<body>{body}</body></html>".encode()


def json_ld(kind: str) -> str:
    return f'<script type="application/ld+json">{{"@type": "{kind}", "name": "Rope"}}</script>'


def article(html: bytes, url: str = URL) -> Extracted:
    found = extract(html, url)
    assert isinstance(found, Extracted), found
    return found


CARDS = "".join(f"<h3><a href='/{number}'>Another story of the sea</a></h3>" for number in range(60))
LINKS = "".join(
    f"<p><a href='/{number}'>Another story of the sea and its ships</a></p>" for number in range(20)
)


def test_an_address_with_the_number_of_an_article_is_no_front_page() -> None:
    html = page(f"<div>{sentences(12)}</div><div>{LINKS}</div>")
    assert "voted" in article(html, "https://quay.example/?p=123").clean_text
    refused = extract(html, "https://quay.example/?utm_source=feed")
    assert isinstance(refused, NotExtracted)
    assert refused.detail == "a front page"


def test_a_long_text_beside_many_cards_is_no_list() -> None:
    assert len(article(page(f"<article>{sentences(80)}</article><div>{CARDS}</div>")).clean_text) > 6_000


def test_a_noscript_element_with_an_open_tag_does_not_swallow_the_page() -> None:
    for opened in ("<div>", "<p>Please turn scripts on", "<DIV class=x>", "<iframe>", "<!--"):
        html = page(f"<noscript>{opened}</noscript><article>{sentences(9)}</article>")
        assert "voted" in article(html).clean_text


def test_a_gallery_keeps_its_captions() -> None:
    figures = "".join(
        f"<figure><img src='/{number}.jpg'><figcaption>Das alte Schiff Nummer {number} liegt seit vielen Jahren"
        " im Hafen und wird bald verkauft.</figcaption></figure>"
        for number in range(9)
    )
    assert "Nummer 8" in article(page(f"<article><h1>Pier closed</h1>{figures}</article>")).clean_text


def test_a_page_that_writes_its_text_in_headings_keeps_it() -> None:
    lines = "".join(
        f"<h3>Строка {number} о старом мосте, который закрыли на долгие годы.</h3>" for number in range(9)
    )
    assert "Строка 8" in article(page(f"<article>{lines}</article>")).clean_text


def test_a_long_style_before_the_body_is_still_html() -> None:
    style = "<style>" + ".a{color:red}" * 2_000 + "</style>"
    found = extract(f"{style}<article>{sentences(9)}</article>".encode(), URL)
    assert isinstance(found, Extracted), found


FORM = "<form class=post-password-form><p>This content is protected.</p><input type=password></form>"


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        (page(f"<main>{sentences(5)}</main>", json_ld("Product")), "a product page"),
        (
            page(f"<main>{sentences(5)}</main>", "<meta property=og:type content=product.item>"),
            "a product page",
        ),
        (page(f"<main>{sentences(5)}</main>", json_ld("Service")), "a service page"),
        (page(f"<main>{sentences(5)}</main>", json_ld("CollectionPage")), "a list of articles"),
        (page(f"<main>{sentences(2)}</main>{CARDS}"), "a list of articles"),
        (page(f"<main>{sentences(5)}</main>", title="Страница не найдена"), "an error page"),
        (page(f"<main><h1>404 Not Found</h1>{sentences(5)}</main>"), "an error page"),
        (page(f"<main>{FORM}</main>", "<meta property=og:type content=article>"), "behind a password"),
    ],
)
def test_what_is_no_article_is_told(html: bytes, reason: str) -> None:
    found = extract(html, URL)
    assert isinstance(found, NotExtracted), found
    assert found.detail == reason


@pytest.mark.parametrize("kind", ["Product", "Service", "CollectionPage", "ItemList"])
def test_an_article_that_also_sells_or_lists_is_an_article(kind: str) -> None:
    assert article(page(f"<article>{sentences(5)}</article>", json_ld("NewsArticle") + json_ld(kind)))
    assert article(page(f"<main>{sentences(60)}</main>", json_ld(kind)))
