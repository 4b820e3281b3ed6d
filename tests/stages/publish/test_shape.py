"""A document has a size that readers take; what makes it too large is left out, the oldest first."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inforadar.model.feed_options import Content
from inforadar.stages.publish.formats import FORMATS
from inforadar.stages.publish.rss import render_rss, rendered_texts, without_content
from inforadar.stages.publish.shape import MAX_DOCUMENT_BYTES, shaped
from tests.stages.publish.publish_samples import CHANNEL, ENTRIES, NOW, entry
from tests.support.feed_rules import rss_problems


@pytest.mark.parametrize("name", FORMATS)
def test_the_oldest_entries_of_a_large_document_lose_their_texts(name: str) -> None:
    html = "<p>" + "Длинный <b>текст</b> 长文 & مقال. ".replace("&", "&amp;") * 6000 + "</p>"
    entries = [
        entry(
            str(n), content_html=f"{n}:{html}", snippet=f"summary-{n}", published_at=NOW - timedelta(hours=n)
        )
        for n in (3, 0, 1, 2, 4, 5, 6, 7, 8)
    ]
    document = FORMATS[name].render(CHANNEL, entries)
    kept = [
        n for n in range(9) if (f"{n}:" in document and f"{n}:&lt;p" in document) or f"{n}:<p>" in document
    ]
    assert kept == list(range(len(kept)))
    assert 2 <= len(kept) < 9
    assert all(f"summary-{n}" in document for n in range(9))
    size = len(document.encode())
    assert size <= MAX_DOCUMENT_BYTES
    assert size + len(html.encode()) * 1.3 > MAX_DOCUMENT_BYTES, "no more than needed is left out"


def test_a_document_without_texts_is_the_one_rendered_without_them() -> None:
    whole = render_rss(CHANNEL, ENTRIES).whole
    summaries = render_rss(CHANNEL, [shaped(one, Content.SUMMARY) for one in ENTRIES]).whole
    assert "content:encoded>" in whole
    assert without_content(whole) == summaries
    assert without_content(summaries) == summaries


def test_without_any_text_title_and_link_remain() -> None:
    document = render_rss(CHANNEL, [shaped(one, Content.NONE) for one in ENTRIES]).whole
    assert rss_problems(document, NOW) == []
    for text in ("Fury as minister", "Голосование", "First paragraph", "The minister answered"):
        assert text not in document
    assert "Министр ответил критикам" in document


def test_rendered_texts_are_found_again_by_their_digests() -> None:
    html = '<p>1 &lt; 2 &amp;amp; "三" </content:encoded> &gt;</p>'
    document = render_rss(CHANNEL, [entry(content_html=html, text_digest="ab" * 16)]).whole
    assert rendered_texts(document) == {"ab" * 16: html}
