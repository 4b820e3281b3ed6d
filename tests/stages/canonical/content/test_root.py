"""The right part of a page: its root, its beginning and its end."""

from __future__ import annotations

from inforadar.model.article import Extracted
from inforadar.stages.canonical import extract

URL = "https://quay.example/news/pier"


def sentences(count: int, word: str = "pier") -> str:
    return "".join(
        f"<p>The harbour council voted on Tuesday evening to close {word} {number} for {number} long years.</p>"
        for number in range(2, 2 + count)
    )


def article(body: str) -> Extracted:
    page = f"<!doctype html><html lang=en><head><title>Pier closed</title></head><body>{body}</body></html>"
    found = extract(page.encode(), URL)
    assert isinstance(found, Extracted), found
    return found


def test_one_of_several_paragraphs_with_the_same_name_is_not_the_article() -> None:
    def paragraph(text: str) -> str:
        return f"<div class=article-body__p><div>{text}</div></div>"

    long = "Один из жителей сказал, что мост ждали двенадцать лет подряд и не верили в него. " * 12
    parts = paragraph(long) + "".join(
        paragraph(f"Short remark number {n} on the bridge, which is also about the old pier and the sea.")
        for n in range(9)
    )
    text = article(f"<div class=story>{parts}</div>").clean_text
    assert "Short remark number 0" in text
    assert "Short remark number 8" in text


def test_an_article_is_found_below_longer_forms_and_stories() -> None:
    other = "<div>" + sentences(9, "door") + "</div>"
    text = article(f"<div>{other}</div><article>{sentences(9)}</article><div>{other}</div>").clean_text
    assert "close pier 2" in text
    assert "close door" not in text


def test_a_long_introduction_above_the_main_element_belongs_to_the_article() -> None:
    lead = f"<div class=intro>{sentences(8, 'gate')}</div>"
    header = f"<header><h1>Pier closed</h1>{lead}</header>"
    text = article(f"<main>{header}<div class=article-body>{sentences(30)}</div></main>").clean_text
    assert text.startswith("The harbour council voted on Tuesday evening to close gate 2")
    assert "close pier 31" in text


def test_a_line_below_the_headline_is_the_standfirst_and_left_out() -> None:
    header = "<header><h1>Pier closed</h1><div><p>It was old, and it creaked in the wind.</p></div></header>"
    text = article(f"<main>{header}<div class=article-body>{sentences(30)}</div></main>").clean_text
    assert "creaked" not in text


def test_parts_that_the_page_sends_later_are_put_in_their_place() -> None:
    page = (
        f"<main><div class=article-body>{sentences(4)}<!--$?--><template id='B:0'></template>"
        f"<p>Loading this part of the story, please wait a moment…</p><!--/$-->{sentences(4, 'gate')}</div></main>"
        f'<div hidden id="S:0">{sentences(9, "мост")}</div>'
    )
    text = article(page.replace("'", '"')).clean_text
    assert text.index("close pier 5") < text.index("close мост 2") < text.index("close gate 2")
    assert "Loading" not in text


def test_parts_that_contain_each_other_end_as_a_value() -> None:
    circle = "".join(
        f'<div hidden id="S:{part}"><template id="B:{(part + 1) % 3}"></template></div>' for part in range(3)
    )
    assert "close pier 2" in article(f"<article>{sentences(9)}</article>{circle}").clean_text


def test_a_quoted_post_in_a_social_embed_is_part_of_the_article() -> None:
    post = "<div class=social-media-embed><blockquote><p>The pier is closed! 🚢</p></blockquote></div>"
    assert "🚢" in article(f"<article>{sentences(9)}{post}{sentences(9, 'gate')}</article>").clean_text


def test_notes_after_the_end_are_cut_off() -> None:
    for note in (
        "<p>Jane Doe is a senior writer at the Quay, where she covers the harbour.</p>",
        "<h3>About the author</h3><p>Anna Müller is an award-winning editor from Hamburg.</p>",
        "<p>Sign up for our weekly newsletter and get the harbour in your inbox.</p>",
        "<p>Follow us on Facebook, Instagram and Telegram.</p>",
        "<p>Подписывайтесь на наш канал, чтобы ничего не пропустить.</p>",
        "<p>Reporting by Ann Lee; editing by Bob Roe</p>",
        "<div>Tags: harbour, pier</div>",
        "<div class=author-bio><p>Anna lives in Hamburg with two cats and writes about the sea.</p></div>",
        "<div>More great harbour stories</div><p><a href=/1>A mill that ran backwards</a></p><p>One</p>",
    ):
        text = article(f"<article>{sentences(12)}{note}</article>").clean_text
        assert text.endswith("close pier 13 for 13 long years."), note


def test_the_words_of_a_note_inside_the_article_cut_nothing_off() -> None:
    inside = "<p>Sign up was slow at first, said the mayor. Jane Doe is a writer who lives at the pier.</p>"
    text = article(f"<article>{sentences(12)}{inside}{sentences(12, 'gate')}</article>").clean_text
    assert "Sign up was slow" in text
    assert "close gate 13" in text


def test_a_link_counts_for_its_own_paragraph_between_line_breaks_only() -> None:
    lines = "A line without any link in it, about the old pier.<br><br>" * 4
    links = "<a href=/a>All our reports of the harbour and of the sea, and of all its old piers</a>" * 4
    assert "A line without any link" in article(f"<article>{sentences(4)}{lines}{links}</article>").clean_text


def test_a_name_that_means_clutter_elsewhere_does_not_hide_a_named_body() -> None:
    body = f"<div class=comment-on-selection><div id=postContent class=post-body>{sentences(9)}</div></div>"
    text = article(f"<div class=page>{body}<div>{sentences(6, 'door')}</div></div>").clean_text
    assert "close pier 2" in text
