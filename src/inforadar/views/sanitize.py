"""Turn untrusted text and markup into safe HTML for our pages and feeds. Pure; everything passes through `nh3`.

    an article's Markdown ──► markdown-it (no HTML) ──┐
                                                      ├──► nh3 ──► images as the setting says ──► marked words
    a listing's raw HTML ──► refused if too deep ─────┘

`nh3` is quadratic in nested blocks, so deeply nested input never reaches it (`stages/canonical/document/limits.py`).

Steps after `nh3` work on whole tags only (`_TAG`). Searching its output for anything smaller would treat text and
attribute values as markup, and cutting there would turn them into markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape, unescape
from typing import Literal

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

from inforadar.model.analysis import Analysis, ScoreName
from inforadar.stages.canonical.document.limits import TooComplexError, make_parseable
from inforadar.stages.publish.text import clean

Images = Literal["direct", "click", "never", "plain"]
"""The settings of the page; `plain` is for feeds, whose validators know only the oldest attributes."""

MAX_CHARACTERS = 400_000
"""Longer than any real article; longer texts are cut."""
MAX_MARKS = 400

_TAGS = {
    "p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "code",
    "kbd", "samp", "em", "strong", "b", "i", "u", "s", "del", "ins", "sub", "sup", "small", "q", "cite", "abbr", "time",
    "a", "img", "figure", "figcaption", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href", "title"},
    "img": {"src", "alt"},
    "abbr": {"title"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
_DROPPED = {
    "script",
    "style",
    "noscript",
    "template",
    "iframe",
    "object",
    "embed",
    "svg",
    "math",
    "form",
    "title",
}
"""Elements removed together with their text."""
_ABSOLUTE = ("http://", "https://", "mailto:")
# nh3 writes attributes in double quotes, escapes quotes inside them, and escapes "<" in text. So this matches exactly
# the tags, each from beginning to end.
_TAG = re.compile(r"""(</?[a-z][a-z0-9]*(?:\s+[a-z-]+="[^"]*")*\s*/?>)""")
_ATTRIBUTE = re.compile(r"""([a-z-]+)="([^"]*)\"""")
_ENTITY = r"&#?\w+;"
"""Entities, which would otherwise be matched as words."""
_LIST_ITEM = re.compile(r"\s*<li>")
_LINE_END = re.compile(r"<br>|</tr>|</dt>|</dd>")
_BLOCK_END = re.compile(r"</(?:p|h[2-6]|ul|ol|dl|blockquote|pre|figure|table)>|<hr>")
_BLANK_LINES = re.compile(r"\n{3,}")
_H1 = re.compile(r"(?m)^# ")
_HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False, "maxNesting": 40}).enable(["table", "strikethrough"])


def article_html(markdown: str, images: Images) -> Markup:
    """Render an article's Markdown. Its headings start one level below ours."""
    text = _H1.sub("## ", clean(markdown)[:MAX_CHARACTERS])
    return _finish(_markdown().render(text), images)


def plain_html(paragraphs: Iterable[str]) -> Markup:
    """Render plain text, a paragraph each."""
    return Markup("\n").join(Markup("<p>{}</p>").format(one) for one in paragraphs)


def listing_html(html: str, images: Images) -> Markup | None:
    """Sanitize the content from the feed; `None` if it is empty or too complex to parse."""
    try:
        safe = make_parseable(clean(html)[:MAX_CHARACTERS])
    except TooComplexError:
        return None
    return _finish(safe, images) or None


def listing_text(html: str) -> str:
    """The content from the feed as plain text, blocks separated by a blank line; empty if there is none."""
    safe = listing_html(html, "never")
    if safe is None:
        return ""
    marked = _LINE_END.sub("\n", _BLOCK_END.sub("\n\n", _LIST_ITEM.sub("\n• ", str(safe))))
    text = unescape(_TAG.sub("", marked))
    return _BLANK_LINES.sub("\n\n", "\n".join(line.strip() for line in text.split("\n"))).strip()


def _finish(html: str, images: Images) -> Markup:
    cleaned = nh3.clean(
        html,
        tags=_TAGS,
        clean_content_tags=_DROPPED,
        attributes=_ATTRIBUTES,
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
        strip_comments=True,
    )
    return Markup(_TAG.sub(lambda found: _tag(found[0], images), cleaned))  # noqa: S704 - nh3 wrote it


def _attribute(_tag_name: str, name: str, value: str) -> str | None:
    """Drop relative URLs, which would point to our own server; `http:x` is one too."""
    return None if name in {"href", "src"} and not value.startswith(_ABSOLUTE) else value


def _tag(tag: str, images: Images) -> str:
    return _image(tag, images) if tag.startswith("<img") else tag


def _image(tag: str, images: Images) -> str:
    # Escape again: a value that is safe in an attribute may not be safe as the text of a link.
    given = {name: escape(unescape(value)) for name, value in _ATTRIBUTE.findall(tag)}
    source, alt = given.get("src", ""), given.get("alt", "").strip()
    if not source or images == "never":
        return ""
    if images == "plain":
        return f'<img src="{source}" alt="{alt}">'
    if images == "click":
        label = f"Show the picture: {alt}" if alt else "Show the picture"
        return (
            f'<a class="picture" href="{source}" data-picture="" data-alt="{alt}" '
            f'rel="noopener noreferrer nofollow">{label}</a>'
        )
    return f'<img src="{source}" alt="{alt}" loading="lazy" decoding="async" referrerpolicy="no-referrer">'


class Marker:
    """Marks the words that an analysis is based on, with the reason."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        self._reasons = {escape(word.casefold(), quote=False): reason for word, reason in reasons.items()}
        ordered = sorted(self._reasons, key=len, reverse=True)
        alternatives = [*(_bounded(word) for word in ordered), _ENTITY]
        self._pattern = re.compile("|".join(alternatives), re.IGNORECASE) if ordered else None

    def text(self, plain: str) -> Markup:
        """Escape plain text, such as a title, and mark its words."""
        return Markup(self._marked(escape(plain, quote=False)))  # noqa: S704 - escaped above

    def html(self, safe: Markup) -> Markup:
        """Mark words in the text of safe HTML, never inside tags."""
        parts = _TAG.split(str(safe))
        marked = [part if number % 2 else self._marked(part) for number, part in enumerate(parts)]
        return Markup("".join(marked))  # noqa: S704 - as safe as it came

    def _marked(self, escaped: str) -> str:
        if self._pattern is None:
            return escaped
        return self._pattern.sub(self._mark, escaped, count=MAX_MARKS)

    def _mark(self, found: re.Match[str]) -> str:
        if (why := self._reasons.get(found[0].casefold())) is None:
            return found[0]
        reason = escape(why)
        return f'<mark class="word" tabindex="0" data-reason="{reason}" title="{reason}">{found[0]}</mark>'


def _bounded(word: str) -> str:
    """Match whole words only; Chinese and Japanese do not separate words."""
    pattern = re.escape(word)
    if _HAN.search(word):
        return pattern
    before = r"(?<!\w)" if word[0].isalnum() else ""
    after = r"(?!\w)" if word[-1].isalnum() else ""
    return f"{before}{pattern}{after}"


IN_TITLES = tuple(name for name in ScoreName if name is not ScoreName.OVERALL)
IN_TEXTS = tuple(name for name in IN_TITLES if name is not ScoreName.CLICKBAIT)
"""Clickbait concerns titles only: the same words mean nothing inside a text."""


def marker_for(analysis: Analysis | None, names: tuple[ScoreName, ...] = IN_TITLES) -> Marker:
    """Make a marker with each word once, with all the scores it counts for."""
    reasons: dict[str, list[str]] = {}
    for name in names if analysis else ():
        assert analysis is not None
        for word in analysis.score(name).words:
            if word.strip():
                reasons.setdefault(word.strip(), []).append(name.replace("_", " "))
    return Marker({word: f"Counts as {', '.join(names)}" for word, names in reasons.items()})
