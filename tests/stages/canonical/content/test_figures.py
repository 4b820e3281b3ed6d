"""Pictures of an article: which address is taken, with which caption, and what is decoration."""

from __future__ import annotations

import re

import pytest

from inforadar.model.article import Extracted
from inforadar.stages.canonical import extract
from inforadar.stages.canonical.content.picture_sources import is_tracker, parse_srcset, picture_key

URL = "https://example.com/news/story-1"
P = "<p>The harbour council voted eight to three on Tuesday evening to close the old pier for two years.</p>"
Q = (
    "<p>Engineers told the meeting that many of the wooden piles no longer carry any load at all, sadly.</p>"
    "<p>Нічого не зміниться до весни, коли рада збереться знову, щоб обговорити вартість нового причалу.</p>"
)


def article(body: str, head: str = "") -> Extracted:
    found = extract(
        f"<!doctype html><html><head><title>Pier</title>{head}</head><body>{body}</body></html>".encode(), URL
    )
    assert isinstance(found, Extracted), found
    return found


def pictures(middle: str) -> list[str]:
    html = article(f"<article>{P}{middle}{Q}</article>").html
    return re.findall(r'<img src="([^"]*)"', html)


def test_a_figure_stands_in_its_place_with_caption_and_size() -> None:
    found = article(
        f"<article>{P}<figure><a href=/big><img src='/a.jpg' width=640 height=480 alt='Старий пірс'></a>"
        f"<figcaption>The pier, <i>2025</i>. <span class=credit>Photo: 王</span></figcaption></figure>{Q}</article>"
    )
    assert (
        '</p>\n<figure><img src="https://example.com/a.jpg" alt="Старий пірс" width="640" height="480">'
        "<figcaption>The pier, <em>2025</em>. Photo: 王</figcaption></figure>\n<p>Engineers" in found.html
    )
    assert "![Старий пірс](https://example.com/a.jpg)  \nThe pier, *2025*. Photo: 王" in found.markdown
    assert "2025" not in found.clean_text
    assert found.image == "https://example.com/a.jpg"


@pytest.mark.parametrize(
    ("image", "address"),
    [
        ("<img src=/s.jpg srcset='/s.jpg 320w, /m.jpg 900w, /l.jpg 3000w'>", "/m.jpg"),
        ("<img src=/s.jpg srcset='/s.jpg 320w,/l.jpg 3000w'>", "/l.jpg"),
        ("<img srcset='/w_200,c_fill/a.jpg 200w, /w_1000,c_fill/a.jpg 1000w'>", "/w_1000,c_fill/a.jpg"),
        ("<img src=/one.jpg srcset='/two.jpg 2x'>", "/one.jpg"),
        ("<img src='data:image/gif;base64,R0' data-src=/lazy.jpg>", "/lazy.jpg"),
        ("<img src=/placeholder.png data-original=/real.jpg>", "/real.jpg"),
        ("<img src='data:image/gif;base64,R0' data-srcset='/a.jpg 400w, /b.jpg 1200w'>", "/b.jpg"),
        ("<picture><source type=image/avif srcset=/x.avif><source srcset='/y.webp 1000w'><img></picture>", "/y.webp"),
        ("<picture><source srcset='/x.webp 1000w'><img src=/x.jpg></picture>", "/x.jpg"),
        ("<img src='data:,' class=lazy><noscript><img src=/n.jpg></noscript>", "/n.jpg"),
        ("<img data-src=/big/a.jpg><noscript><img src=/small/b.jpg></noscript>", "/big/a.jpg"),
        ("<span><img data-src=/a.jpg></span><noscript><img src=/b.jpg></noscript>", "/a.jpg"),
        ("<div class='wp-caption'><img src=/c.jpg><p class='wp-caption-text'>Said</p></div>", "/c.jpg"),
        ("<p>Words before it <img src=/p.jpg> and after it in the same paragraph.</p>", "/p.jpg"),
        ("<amp-img src=/amp.jpg width=800 height=600></amp-img>", "/amp.jpg"),
    ],
)  # fmt: skip
def test_one_sensible_address_is_taken(image: str, address: str) -> None:
    assert pictures(image) == [f"https://example.com{address}"]


@pytest.mark.parametrize(
    "image",
    [
        "<img src=/icons/share.png>", "<img src=/a.jpg width=1 height=1>", "<img src=/a.jpg width=80>",
        "<img src=/a.jpg style='width: 16px; height: 16px'>", "<img class=avatar src=/me.jpg>", "<img src=/logo.png>",
        "<img src=https://www.facebook.com/tr?id=1&ev=PageView>", "<img src=https://pixel.wp.com/b.gif?v=1>",
        "<img src=https://mc.yandex.ru/watch/1>", "<img src=/a-50x50.jpg>", "<img src='data:image/png;base64,AA'>",
        "<img src='javascript:x()'>", "<img src='ftp://example.com/a.jpg'>", "<img src='http://[broken/a.jpg'>",
        "<img>",
        "<div class=social-share><img src=/a.jpg></div>", "<aside><img src=/a.jpg></aside>",
        "<div class=related-posts><a href=/other><img src=/a.jpg><h3>Other news of today</h3></a></div>",
    ],
)  # fmt: skip
def test_decoration_and_trackers_are_left_out(image: str) -> None:
    found = article(f"<article>{P}{image}{Q}</article>")
    assert "<img" not in found.html
    assert found.image is None


def test_a_picture_is_shown_once() -> None:
    assert pictures("<img src=/a-300x200.jpg><p>Between the two of them.</p><img src=/a-1024x768.jpg>") == [
        "https://example.com/a-300x200.jpg"
    ]


def test_a_table_or_code_in_a_figure_is_no_caption() -> None:
    found = article(
        f"<article>{P}<figure><table><tr><td>1<td>2<tr><td>3<td>4</table></figure>"
        f"<figure><img src=/c.jpg><pre>code of it</pre></figure>{Q}</article>"
    )
    assert "<td>4</td>" in found.html
    assert "<pre><code>code of it</code></pre>" in found.html
    assert "c.jpg" in found.html


def test_the_publisher_states_the_lead_image() -> None:
    head = '<meta property="og:image" content="/lead.jpg">'
    assert article(f"<article>{P}<img src=/a.jpg>{Q}</article>", head).image == "https://example.com/lead.jpg"


def test_figures_of_removed_parts_go_with_them() -> None:
    found = article(
        f"<article>{P}{Q}<h3>Read also</h3><ul><li><img src=/t1.jpg><a href=/1>First other story of today</a></li>"
        "<li><img src=/t2.jpg><a href=/2>Second other story of today</a></li></ul></article>"
    )
    assert "<img" not in found.html


def test_srcset_is_read_as_browsers_do() -> None:
    assert parse_srcset("a.jpg 1x,b.jpg 2x") == [("a.jpg", None), ("b.jpg", None)]
    assert parse_srcset("a,b.jpg 100w , c.jpg") == [("a,b.jpg", 100), ("c.jpg", None)]
    assert parse_srcset(" , ,") == []
    assert len(parse_srcset("x 1w, " * 5000)) <= 60


def test_sizes_of_one_picture_have_one_key() -> None:
    assert picture_key("https://a.example/x/640x360/p-1024x768.jpg") == picture_key(
        "https://b.example/x/p.webp"
    )
    assert picture_key("https://a.example/1/image.jpg") != picture_key("https://a.example/2/image.jpg")
    assert picture_key("https://a.example/i?id=1&w=5") == picture_key("https://a.example/i?id=1&w=9")
    assert picture_key("https://a.example/i?id=1") != picture_key("https://a.example/i?id=2")


def test_a_tracker_is_known_by_host_or_path() -> None:
    assert is_tracker("https://stats.wp.com/x")
    assert is_tracker("https://a.example/matomo.php?x")
    assert not is_tracker("https://a.example/counter-strike.jpg")


@pytest.mark.parametrize(
    "address",
    [
        "https://a.example/counter.gif",
        "https://a.example/counter-strike.jpg",
        "http://a.example:8080/p.gif",
        "https://a.example/p.gif?w=1#x",
        "https://a.example?/p.gif",
        "https://a.example/news;/p.gif",
        "https://stats.wp.com/a.jpg",
        "https://stats.wp.com",
        "https://www.facebook.com/tr?id=1",
        "https://a.example/x.facebook.com/tr/",
        "https://b.stats.wp.com:443/a.jpg",
        "https://user@stats.wp.com/a.jpg",
        "https://STATS.WP.COM/a.jpg",
    ],
)
def test_a_plainly_written_address_is_judged_as_any_other(address: str) -> None:
    # A space before it is no part of the address, but of the plain way to write one.
    assert is_tracker(address) is is_tracker(f" {address}")
