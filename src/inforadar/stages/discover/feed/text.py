"""Plain text out of what feeds carry: titles, names and snippets as people should read them."""

from __future__ import annotations

import re

from inforadar.texts import unescaped

SNIPPET_LENGTH = 1_000
TITLE_LENGTH = 1_000
"""Longer titles and names are texts that were put in the wrong place, or in bad faith."""

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
_EMAIL_AND_NAME = re.compile(r"(?:mailto:)?[^\s()<>@]++@[^\s()<>]++\s*+\(([^()]++)\)")
_NAME_AND_EMAIL = re.compile(r"([^<>()]++)[(<]\s*+(?:mailto:)?[^\s()<>@]++@[^\s()<>]++\s*+[)>]")


def title_text(text: str | None, *, is_plain: bool = False) -> str | None:
    """A title on one line. Markup in it is dropped, but not the tag that an article is about."""
    if text is None:
        return None
    text = text[: TITLE_LENGTH * 8]
    if "<" in text or "&" in text:
        if not is_plain:
            text = _INLINE_TAG.sub("", text)
        once = unescaped(text)
        # Escaped twice, as many do it: what came out is markup once more.
        text = once if is_plain or once == text else _INLINE_TAG.sub("", unescaped(once))
    title = folded(text)
    return title if title is None or len(title) <= TITLE_LENGTH else title[: TITLE_LENGTH - 1] + "…"


def person_name(text: str | None) -> str | None:
    """The name in `mail@example.org (Name)` or `Name <mail@example.org>`."""
    if text is not None and "@" in text and len(text) <= TITLE_LENGTH:
        plain = title_text(text, is_plain=True) or ""
        match = _EMAIL_AND_NAME.fullmatch(plain) or _NAME_AND_EMAIL.fullmatch(plain)
        if match:
            text = match[1]
    return title_text(text)


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
        html = unescaped(html)
    return folded(html) or ""


def folded(text: str) -> str | None:
    """White space folded and invisible signs gone; nothing if nothing is left."""
    if not text.isprintable():
        text = _INVISIBLE_SIGNS.sub("", text)
    elif "  " not in text:
        # The space is the only white space that counts as printable.
        return text.strip() or None
    return " ".join(text.split()) or None
