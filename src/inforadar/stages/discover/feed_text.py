"""Plain text out of what feeds carry: titles, names and snippets as people should read them."""

from __future__ import annotations

import re
from html import unescape

SNIPPET_LENGTH = 1_000

_INVISIBLE = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|iframe|object|noscript|svg|math|template)\b.*?(?:</\1\s*>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(r"<[A-Za-z/!?][^<>]*>?")
_INLINE_TAG = re.compile(
    r"</?(?:a|abbr|acronym|b|bdi|big|br|cite|code|del|div|dfn|em|font|h[1-6]|i|img|ins|kbd|mark|p|q|s|samp|small|span|"
    r"strike|strong|sub|sup|tt|u|var|wbr)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"</?(?:address|article|blockquote|br|dd|div|dt|figure|h[1-6]|hr|li|ol|p|pre|section|table|td|th|tr|ul)\b",
    re.IGNORECASE,
)
_INVISIBLE_SIGNS = re.compile("[\x00-\x08\x0e-\x1f\x7f\u200b\u2060\ufeff]")
_EMAIL_AND_NAME = re.compile(r"(?:mailto:)?[^\s()<>]+@[^\s()<>]+\s*\(([^()]+)\)")
_NAME_AND_EMAIL = re.compile(r"([^<>()]+?)\s*[(<]\s*(?:mailto:)?[^\s()<>]+@[^\s()<>]+\s*[)>]")


def title_text(text: str | None, *, is_plain: bool = False) -> str | None:
    """A title on one line. Markup in it is dropped, but not the tag that an article is about."""
    if text is None:
        return None
    if "<" in text or "&" in text:
        if not is_plain:
            text = _INLINE_TAG.sub("", text)
        unescaped = unescape(text)
        # Escaped twice, as many do it: what came out is markup once more.
        text = unescaped if is_plain or unescaped == text else _INLINE_TAG.sub("", unescape(unescaped))
    return _folded(text)


def person_name(text: str | None) -> str | None:
    """The name in `mail@example.org (Name)` or `Name <mail@example.org>`."""
    name = title_text(text)
    if name is not None and "@" in name:
        match = _EMAIL_AND_NAME.fullmatch(name) or _NAME_AND_EMAIL.fullmatch(
            title_text(text, is_plain=True) or ""
        )
        if match:
            return match[1].strip()
    return name


def snippet_text(html: str | None) -> str | None:
    """The visible text of a piece of HTML, white space folded, cut at a word."""
    if html is None:
        return None
    # The beginning is enough, unless it is all markup.
    text = _visible(html[: SNIPPET_LENGTH * 8])
    if len(text) <= SNIPPET_LENGTH < len(html) // 8:
        text = _visible(html)
    if len(text) > SNIPPET_LENGTH:
        text = text[: SNIPPET_LENGTH - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
    return text or None


def _visible(html: str) -> str:
    if "<" in html:
        html = _TAG.sub("", _BREAK.sub(r" \g<0>", _INVISIBLE.sub(" ", html)))
    if "&" in html:
        html = unescape(html)
    return _folded(html) or ""


def _folded(text: str) -> str | None:
    return " ".join(_INVISIBLE_SIGNS.sub("", text).split()) or None
