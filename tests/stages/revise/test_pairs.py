"""The tables of `tests/data/revisions`: nothing is called a change that is none, and no change is missed."""

from __future__ import annotations

from inforadar.model.article import Extracted
from inforadar.model.revision import Revision, Snapshot
from inforadar.stages.canonical import extract
from inforadar.stages.revise.judge import judge_look
from inforadar.stages.revise.normalize import text_key
from inforadar.stages.revise.verdict import Unchanged
from tests.support.revision_pairs import load_pairs


def test_an_article_that_was_not_edited_is_never_called_changed() -> None:
    pairs = load_pairs("same")
    assert len(pairs) >= 60
    assert all(pair.old != pair.new for pair in pairs)
    false = [pair.name for pair in pairs if not isinstance(judge_look(pair.old, pair.new), Unchanged)]
    assert false == []


def test_every_real_edit_is_found_with_its_kinds() -> None:
    pairs = load_pairs("edits")
    assert len(pairs) >= 60
    wrong = []
    for pair in pairs:
        found = judge_look(pair.old, pair.new)
        if not isinstance(found, Revision):
            wrong.append((pair.name, found))
            continue
        kinds = {kind.value for kind in found.kinds}
        is_right = kinds == set(pair.kinds) if pair.only else kinds >= set(pair.kinds)
        if not is_right or found.is_noted != pair.is_noted or found.is_live != pair.is_live:
            wrong.append((pair.name, found))
    assert wrong == []


def test_the_key_of_a_text_is_the_same_for_the_same_words() -> None:
    for pair in load_pairs("same"):
        if pair.name != "a moved box":
            assert text_key(pair.old.text) == text_key(pair.new.text), pair.name


PAGE = """<!doctype html><html lang="en"><head><title>Ferry runs aground - Outlet</title>{head}</head><body>
<header><nav><a href="/">Home</a> <a href="/news">News</a></nav>{header}</header>
<main><article><h1>Ferry runs aground</h1><p class="meta">{meta}</p>
<p>A passenger ferry ran aground in thick fog off Halden early on Tuesday, leaving 40 people injured, the coast guard
said, and rescue boats brought everybody to the harbour within three hours of the first call.</p>{inside}
<p>The Northern Star was carrying 312 passengers and crew when it struck a sandbank about two kilometres from the
harbour, according to the operator, which has run the line across the bay since 1987.</p>
<p>"We felt a heavy blow and then everything went dark," said Martin Okafor, who was travelling with his two children
and waited on deck for the boats to arrive.</p></article></main>
<aside>{aside}</aside><footer>{footer}</footer></body></html>"""

MOST_READ = "<h3>Most read</h3><ul><li><a href='/1'>{}</a></li></ul>"
AD = '<div class="ad">Advertisement<a href="https://ads.example/1">A car for the mountains</a></div>'
NEWSLETTER = '<div class="newsletter"><p>Sign up for our newsletter</p><form><input name="mail"></form></div>'
RELATED = '<aside class="related"><h4>Related</h4><a href="/3">Harbour budget approved</a></aside>'
COOKIES = '<div class="cookie-banner">We use cookies to improve your visit.</div>'
SERVED = [
    {"meta": "2 hours ago", "aside": MOST_READ.format("Ten recipes for spring")},
    {"meta": "9 hours ago", "aside": MOST_READ.format("What to watch tonight")},
    {"inside": AD, "footer": "Edge 7 · 12 ms"},
    {"inside": NEWSLETTER, "footer": "Edge 3 · 8 ms"},
    {"header": '<div class="breaking">Breaking: markets fall again</div>', "meta": "12 May 2026, 06:30"},
    {"header": COOKIES, "meta": "12 May 2026, 06:30 (updated 14:10)"},
    {"inside": RELATED, "aside": "<p>31 comments</p>"},
    {"inside": "<script>window.n=Math.random()</script>", "head": '<meta name="request-id" content="a1">'},
]


def _served(parts: dict[str, str]) -> Snapshot:
    filled = {name: parts.get(name, "") for name in ("head", "header", "meta", "inside", "aside", "footer")}
    found = extract(PAGE.format(**filled).encode(), "https://outlet.example/news/ferry")
    assert isinstance(found, Extracted)
    return Snapshot(text=found.clean_text, title=found.title, author=found.author, image=found.image)


def test_the_same_page_with_other_ads_and_from_another_server_is_no_revision() -> None:
    pages = [_served(parts) for parts in SERVED]
    for old in pages:
        for new in pages:
            assert isinstance(judge_look(old, new), Unchanged), (old.text, new.text)
