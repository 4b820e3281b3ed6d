"""Single extraction rules, each on the smallest page that shows it."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.model.article import Extracted, FailureCode, NotExtracted
from inforadar.stages.canonical import extract

URL = "https://example.com/news/story-1"
P = (
    "<p>The harbour council voted eight to three on Tuesday evening to close the old pier for two years.</p>"
    "<p>Engineers told the meeting that many of the wooden piles no longer carry any load at all, sadly.</p>"
)


def page(body: str, head: str = "") -> bytes:
    start = f"<!doctype html><html lang=en><head><title>Pier closed</title>{head}</head>"
    return f"{start}<body>{body}</body></html>".encode()


def article(body: str, head: str = "", url: str = URL) -> Extracted:
    found = extract(page(body, head), url)
    assert isinstance(found, Extracted), found
    return found


def failure(html: bytes, url: str = URL) -> NotExtracted:
    found = extract(html, url)
    assert isinstance(found, NotExtracted), found
    return found


def test_200_characters_of_html_are_no_page() -> None:
    assert failure(b"<html>" + b"x" * 194).code is FailureCode.BAD_HTML
    assert failure(b"").code is FailureCode.BAD_HTML


@pytest.mark.parametrize(
    "body",
    [
        b'{"json": "' + b"x" * 300 + b'"}',
        b"%PDF-1.7 " + b"x" * 300,
        b"plain words " * 40,
        b"<rss><channel>" + b"x" * 300,
    ],
)
def test_what_is_not_html_says_so(body: bytes) -> None:
    found = failure(body)
    assert (found.code, found.detail) == (FailureCode.BAD_HTML, "not HTML")


def test_results_can_cross_a_process_border() -> None:
    found = article(f"<article><h1>Pier closed</h1>{P}</article>")
    assert pickle.loads(pickle.dumps(found)) == found
    refused = failure(b"")
    assert pickle.loads(pickle.dumps(refused)) == refused


def test_control_characters_reach_nobody() -> None:
    found = article(
        f"<article><h1>Pier\x1b closed</h1>{P}<p>A\x1b[31m red &#27;[0m and\x07 loud line of it.</p></article>"
    )
    for text in (found.title, found.clean_text, found.markdown):
        assert text
        assert not {"\x1b", "\x07"} & set(text)
    assert "A[31m red [0m and loud line of it." in found.clean_text


def test_markup_in_the_text_is_escaped_in_markdown() -> None:
    line = "# not a heading, 2 * 3 * 4, [x](javascript:alert), &lt;script&gt; and _so_"
    found = article(f"<article>{P}<p>{line}</p></article>")
    assert r"\# not a heading, 2 \* 3 \* 4, \[x\](javascript:alert), \<script> and \_so\_" in found.markdown
    assert "# not a heading, 2 * 3 * 4, [x](javascript:alert), <script> and _so_" in found.clean_text


def test_links_are_absolute_and_only_to_the_web() -> None:
    found = article(
        f"<article>{P}<p>See the <a href='/a (b)'>plan</a>, the <a href='javascript:x()'>trick</a>"
        " and <a href='#n'>note</a>, all published by the council on Tuesday evening.</p></article>"
    )
    assert "[plan](https://example.com/a%20%28b%29), the trick and note" in found.markdown


def test_lists_nest_and_number() -> None:
    found = article(f"<article>{P}<ol><li>first<ul><li>inner</li></ul></li><li>second</li></ol>{P}</article>")
    assert "1. first\n   - inner\n2. second" in found.markdown
    assert "first\ninner\nsecond" in found.clean_text


def test_a_code_fence_is_longer_than_any_fence_inside() -> None:
    found = article(f"<article>{P}<pre>```\nx\n```</pre></article>")
    assert "````\n```\nx\n```\n````" in found.markdown


def test_two_line_breaks_make_a_paragraph() -> None:
    poem = "One line of the poem<br>and the next<br><br>then a new verse begins"
    found = article(f"<article>{P}<div>{poem}</div></article>")
    assert "One line of the poem\nand the next\n\nthen a new verse begins" in found.clean_text


def test_the_abstract_is_the_first_paragraph_over_40_characters() -> None:
    found = article(f"<article><h1>Pier closed</h1><p>Short lead, under forty.</p>{P}</article>")
    assert found.abstract is not None
    assert found.abstract.startswith("The harbour council")


@pytest.mark.parametrize(
    "image",
    [
        "/logo.png",
        "/pixel.gif",
        "data:image/gif;base64,R0",
        "/avatar/1.jpg",
        "/icons/x.svg",
        "/placeholder.png",
        "https://ad.doubleclick.net/ddm/1",
    ],
)
def test_logos_pixels_and_avatars_are_no_image(image: str) -> None:
    found = article(
        f"<article><img src='{image}'><img src='/b.jpg' width='1'><img data-src='/photo.jpg'>{P}</article>"
    )
    assert found.image == "https://example.com/photo.jpg"


@pytest.mark.parametrize(
    "image",
    [
        "https://cdn.example.com/semiconductor-plant.jpg",
        "https://cdn.example.com/silicon-valley-bank.jpg",
        "https://cdn.example.com/google-pixel-11-review.jpg",
        "https://cdn.example.com/high-profile-trial.jpg",
        "https://cdn.example.com/tracking-hurricane-map.png",
        "https://cdn.example.com/hero-791x1024.png",
        "https://cdn.example.com/loading-truck.jpg",
        "https://www.calltrackingmetrics.com/uploads/crm.png",
        "https://logo.example.com/harbour.jpg",
    ],
)
def test_words_in_the_name_of_a_stated_image_are_its_topic(image: str) -> None:
    assert stated_image(image) == image


@pytest.mark.parametrize(
    "image",
    [
        "/logo.png",
        "/site_logo_2x.png",
        "/default-share.jpg",
        "/default.jpg",
        "/og-site-icon.png",
        "/brand.svg?v=2",
        "/1x1.gif",
        "/blavatar/55bf7238?s=200",
        "/image/?url=https%3A%2F%2Fexample.com%2Flogos%2Fnavy.jpg&amp;w=1200",
    ],
)
def test_a_stated_image_that_stands_in_for_none_is_no_image(image: str) -> None:
    assert stated_image(image) == "https://example.com/photo.jpg"


def stated_image(image: str) -> str | None:
    """Return the image found on a page that states this one and shows another in its text."""
    stated = f'<meta property="og:image" content="{image}">'
    return article(f"<article><img src='/photo.jpg'>{P}</article>", head=stated).image


def test_words_inside_words_and_in_hosts_drop_no_image_of_the_text_either() -> None:
    image = "https://www.calltrackingmetrics.com/silicon-791x1024.jpg"
    assert article(f"<article><img src='{image}'>{P}</article>").image == image


def test_a_base_element_moves_relative_addresses() -> None:
    found = article(
        f"<article><img src='photo.jpg'>{P}</article>", head="<base href='https://cdn.example.org/x/'>"
    )
    assert found.image == "https://cdn.example.org/x/photo.jpg"


def test_a_canonical_url_that_names_the_front_page_is_a_mistake() -> None:
    assert article(f"<main>{P}</main>", head="<link rel=canonical href='/'>").canonical_url is None
    found = article(f"<main>{P}</main>", head="<link rel=canonical href='/real#top'>")
    assert found.canonical_url == "https://example.com/real"


def test_a_class_that_everything_bears_means_nothing() -> None:
    found = article(
        f"<div class=widget><div class=widget>{P}</div></div><div class=footer>Imprint of the paper</div>"
    )
    assert found.clean_text.startswith("The harbour council")
    assert "Imprint" not in found.clean_text


def test_an_article_below_longer_comments_is_still_the_article() -> None:
    comments = (
        "<p>I have an opinion on this too, and it is long, and I will share it with all of you.</p>" * 30
    )
    found = article(
        f"<div class=post>{P}{P.replace('Tuesday', 'Monday')}</div><div class=comments>{comments}</div>"
    )
    assert "opinion" not in found.clean_text


def test_a_paragraph_that_is_repeated_for_another_screen_counts_once() -> None:
    found = article(f"<article><div class=desktop>{P}</div><div class=phone>{P}</div></article>")
    assert found.clean_text.count("The harbour council") == 1


def test_cards_for_other_articles_of_the_site_are_left_out_and_those_for_other_sites_kept() -> None:
    def card(href: str) -> str:
        return f"<div><h3><a href='{href}'>Bakery wins the prize</a></h3><p>For its rye bread.</p></div>"

    assert "Bakery" not in article(f"<article>{P}{card('/news/2')}{P.upper()}</article>").clean_text
    assert (
        "Bakery" in article(f"<article>{P}{card('https://bakery.example/')}{P.upper()}</article>").clean_text
    )


def test_what_follows_the_end_is_cut_off_at_its_heading() -> None:
    tail = "<h2>You may also like</h2><p>The mill that ran backwards for a year.</p>"
    assert article(f"<article>{P}{tail}</article>").clean_text.endswith("at all, sadly.")


def test_a_paragraph_that_is_one_link_points_elsewhere() -> None:
    found = article(f"<article>{P}<p><a href='/x'>HARBOUR: ALL OUR REPORTS</a></p>{P.upper()}</article>")
    assert "ALL OUR REPORTS" not in found.clean_text


def test_a_page_of_links_in_paragraphs_keeps_them() -> None:
    links = "".join(
        f"<p><a href='/{i}'>Chapter {i}, in which a great many things happen</a></p>" for i in range(9)
    )
    assert "Chapter 8" in article(f"<article>{P}{links}</article>").clean_text


def test_hidden_text_is_left_out_unless_it_is_the_article() -> None:
    assert "secret" not in article(f"<article>{P}<p style='display: none'>secret</p></article>").clean_text
    streamed = article(f"<main><p>Loading</p></main><div hidden id='S:0'>{P}</div>")
    assert streamed.clean_text.startswith("The harbour council")


def test_the_site_name_is_cut_off_a_title_without_headline() -> None:
    head = (
        "<meta property='og:title' content='Pier closed for good | The Quay'>"
        "<meta property='og:site_name' content='The Quay'>"
    )
    assert article(f"<article>{P}</article>", head=head).title == "Pier closed for good"


def test_the_language_is_seen_from_the_script_when_the_page_is_wrong() -> None:
    russian = (
        "<p>В посёлке на этой неделе открыли мост, которого жители ждали почти двенадцать лет подряд.</p>"
        "<p>Строительство началось ещё в 2012 году.</p>"
    )
    assert article(f"<article>{russian}</article>").language == "ru"


def test_a_long_article_about_cookies_is_no_wall() -> None:
    text = "".join(
        f"<p>Paragraph {i}: cookies, consent and privacy partners are debated by parliament.</p>"
        for i in range(80)
    )
    assert len(article(f"<article>{text}</article>").clean_text) > 4_000


def test_a_full_text_marked_as_paid_is_kept() -> None:
    head = '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script>'
    text = "".join(
        f"<p>Sentence number {i} of a report that is all there on the page, in full length.</p>"
        for i in range(40)
    )
    assert article(f"<article>{text}</article>", head=head).text_len > 1_800


def test_an_empty_or_odd_url_is_no_reason_to_fail() -> None:
    for url in ("", "not a url"):
        assert isinstance(extract(page(f"<article>{P}<a href=/x>x</a></article>"), url), Extracted)


@given(st.binary(max_size=600))
def test_any_bytes_end_as_a_value(body: bytes) -> None:
    assert isinstance(extract(b"<html><body>" + body * 3, URL), Extracted | NotExtracted)


TAGS = st.sampled_from(
    [
        "<p>", "</p>", "<div class=comment>", "</div>", "<table><tr><td>", "</table>", "<li>", "<ul>", "<br>",
        "<a href=/x>", "</a>", "<b>", "<pre>", "<h1>", "<h2>", "words of text ", "<blockquote>", "<script>",
        "<!--", "-->", "<svg>", "\x00", "مرحبا ",
    ]
)  # fmt: skip


@given(st.lists(TAGS, max_size=80))
def test_any_soup_of_tags_ends_as_a_value(parts: list[str]) -> None:
    assert isinstance(extract(page("".join(parts) + "x" * 200), URL), Extracted | NotExtracted)
