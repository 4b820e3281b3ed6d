"""Made-up pages in typical layouts, with as much around the article as on real sites.

Everything about a page follows from its number, so a page is always the same.
"""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from html import escape

from bench.farm_site import words

_FIRST = datetime(2026, 1, 1, tzinfo=UTC)
_SCRIPT = "(function(w,d){w.q=w.q||[];for(var i=0;i<d.length;i++){if(d[i]<7){w.q.push(d[i]);}}})(window,[]);"
_STYLE = ".c-%d{display:flex;margin:0 0 1rem;color:#223;background:url(/i/%d.png) no-repeat 50%% 50%%}"


def make_page(number: int) -> str:
    """Make a page of about 80 kB, in one of four layouts."""
    dice = random.Random(number)
    title = words(dice, 9).capitalize()
    at = _FIRST + timedelta(minutes=number)
    layout = (_news, _blog, _magazine, _old)[number % 4]
    body = layout(dice, title, at)
    padding = "".join(f"<script>{_SCRIPT * dice.randint(5, 40)}</script>" for _ in range(8))
    style = "".join(_STYLE % (line, line) for line in range(dice.randint(20, 200)))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)} | Gazette</title>'
        f"<style>{style}</style>{_meta(title, at, number)}</head><body>{_menu(dice)}{body}{_around(dice)}{padding}"
        "<footer><p>© Gazette. All rights reserved.</p></footer></body></html>"
    )


def _meta(title: str, at: datetime, number: int) -> str:
    stated = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": title,
        "datePublished": at.isoformat(),
        "author": [{"@type": "Person", "name": "Ilse Maar"}],
    }
    described = (
        f'<meta property="og:title" content="{escape(title)}"><meta property="og:type" content="article">'
        f'<meta property="og:image" content="/i/{number}.jpg"><meta property="og:site_name" content="Gazette">'
    )
    return described + (
        f'<script type="application/ld+json">{json.dumps(stated)}</script>' if number % 3 else ""
    )


def _paragraphs(dice: random.Random, count: int) -> str:
    return "".join(
        f'<p>{words(dice, dice.randint(20, 60)).capitalize()}, <a href="/t/{dice.randint(1, 99)}">{words(dice, 2)}</a> '
        f"{words(dice, dice.randint(5, 30))}.</p>"
        for _ in range(count)
    )


def _news(dice: random.Random, title: str, at: datetime) -> str:
    return (
        f'<main><article class="story"><h1>{escape(title)}</h1><div class="byline">By <a rel="author">Ilse Maar</a> '
        f'<time datetime="{at.isoformat()}">{at:%d %B %Y}</time></div><div class="share-tools"><a>Share</a></div>'
        f'<figure><img src="/i/a.jpg" width="1200" height="700"><figcaption>{words(dice, 8)}</figcaption></figure>'
        f'<div class="story-body">{_paragraphs(dice, 12)}<blockquote><p>{words(dice, 30)}</p></blockquote>'
        f"{_paragraphs(dice, 6)}</div></article></main>"
    )


def _blog(dice: random.Random, title: str, at: datetime) -> str:
    items = "".join(f"<li>{words(dice, 14)}</li>" for _ in range(9))
    return (
        f'<div id="page" class="with-sidebar"><div class="post"><h1 class="entry-title">{escape(title)}</h1>'
        f'<p class="meta">Posted on {at:%B %d, %Y}</p><div class="entry">{_paragraphs(dice, 8)}'
        f"<h2>{words(dice, 4)}</h2><ul>{items}</ul><pre><code>{words(dice, 20)}</code></pre>"
        f"{_paragraphs(dice, 8)}</div></div></div>"
    )


def _magazine(dice: random.Random, title: str, at: datetime) -> str:
    parts = "".join(
        f'<div class="sc-{dice.getrandbits(24):x}"><div><div><div>{_paragraphs(dice, 3)}</div></div></div></div>'
        f'<div class="ad-slot"><div>Advertisement</div></div>'
        for _ in range(8)
    )
    top = f"<header><h1>{escape(title)}</h1><span>{at:%b %d, %Y}</span></header>"
    return f'<div id="__next"><div>{top}{parts}</div></div>'


def _old(dice: random.Random, title: str, at: datetime) -> str:
    text = "<br><br>".join(words(dice, 50) for _ in range(12))
    cells = "".join(f"<tr><td>{words(dice, 3)}</td><td>{dice.randint(1, 999)}</td></tr>" for _ in range(20))
    return (
        f'<table width="100%"><tr><td>{_menu(dice)}</td><td><font size="5">{escape(title)}</font><br>'
        f"{at:%d.%m.%Y}<br>{text}<table>{cells}</table></td></tr></table>"
    )


def _menu(dice: random.Random) -> str:
    links = "".join(
        f'<li><a href="/s/{n}" class="nav-link item-{n}">{words(dice, 2)}</a></li>' for n in range(60)
    )
    return f'<nav class="site-menu"><ul>{links}</ul></nav>'


def _around(dice: random.Random) -> str:
    cards = "".join(
        f'<div class="card"><a href="/n/{n}"><img src="/t/{n}.jpg" loading="lazy" alt=""></a>'
        f'<h3><a href="/n/{n}">{words(dice, 8)}</a></h3><p>{words(dice, 18)}</p></div>'
        for n in range(30)
    )
    comments = "".join(
        f'<div class="comment"><b>{words(dice, 1)}</b><p>{words(dice, 25)}</p></div>' for _ in range(20)
    )
    return f'<section class="related">{cards}</section><section id="comments">{comments}</section>'
