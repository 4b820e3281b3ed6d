"""Make plain text of what feeds contain: titles, names and snippets as people should read them."""

from __future__ import annotations

import re

from inforadar.texts import unescape_html

MAX_SNIPPET_CHARS = 1_000
MAX_TITLE_CHARS = 1_000
"""Longer titles and names are misplaced text, or hostile."""

_SNIPPET_SOURCE_CHARS = (3_000, MAX_SNIPPET_CHARS * 8)
"""How much of a text is read for its snippet: the first is enough for most."""

_MAX_CUT_CHARS = 64
"""Cutting a text in a reference or before a tag's name changes fewer characters than this at its end."""

# Patterns begin with a plain "<", then look at the next letter, and replacements are plain text: all of it runs in C.
_INVISIBLE = re.compile(
    r"<(?=[!sionmt])(?:!--.*?(?:-->|\Z)|(script|style|iframe|object|noscript|svg|math|template)\b.*?(?:</\1\s*>|\Z))",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(r"<[A-Za-z/!?][^<>]*>?")
_INLINE_TAG = re.compile(
    r"</?(?:a|abbr|acronym|b|bdi|big|br|cite|code|del|div|dfn|em|font|h[1-6]|i|img|ins|kbd|mark|p|q|s|samp|small|span|"
    r"strike|strong|sub|sup|tt|u|var|wbr)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"<(?=/?(?=[abdfhlopstu])"
    r"(?:p|br|div|li|h[1-6r]|[ou]l|t[dhr]|d[dt]|table|pre|blockquote|section|figure|address|article)\b)",
    re.IGNORECASE,
)
_INVISIBLE_CHARACTERS = re.compile("[\x00-\x08\x0e-\x1f\x7f\u200b\u2060\ufeff]")
_EMAIL_AND_NAME = re.compile(r"(?:mailto:)?[^\s()<>@]++@[^\s()<>]++\s*+\(([^()]++)\)")
_NAME_AND_EMAIL = re.compile(r"([^<>()]++)[(<]\s*+(?:mailto:)?[^\s()<>@]++@[^\s()<>]++\s*+[)>]")


def title_text(text: str | None, *, is_plain: bool = False) -> str | None:
    """Make a one-line title. Inline markup is dropped; other tags stay, as in a title about the <video> tag."""
    if text is None:
        return None
    text = text[: MAX_TITLE_CHARS * 8]
    if "<" in text or "&" in text:
        if not is_plain and "<" in text:
            text = _INLINE_TAG.sub("", text)
        once = unescape_html(text)
        # Many feeds escape twice, so unescaping can produce markup again.
        text = once if is_plain or once == text else _INLINE_TAG.sub("", unescape_html(once))
    title = fold_whitespace(text)
    return title if title is None or len(title) <= MAX_TITLE_CHARS else title[: MAX_TITLE_CHARS - 1] + "…"


def person_name(text: str | None) -> str | None:
    """Take the name from `mail@example.org (Name)` or `Name <mail@example.org>`."""
    if text is not None and "@" in text and len(text) <= MAX_TITLE_CHARS:
        plain = title_text(text, is_plain=True) or ""
        match = _EMAIL_AND_NAME.fullmatch(plain) or _NAME_AND_EMAIL.fullmatch(plain)
        if match:
            text = match[1]
    return title_text(text)


def snippet_text(html: str | None) -> str | None:
    """The visible text of an HTML fragment, with white space folded, cut at a word."""
    if html is None:
        return None
    # The beginning is enough unless it is mostly markup.
    for chars in _SNIPPET_SOURCE_CHARS:
        text = _visible_text(html[:chars])
        if len(html) <= chars or len(text) > MAX_SNIPPET_CHARS + _MAX_CUT_CHARS:
            break
    else:
        if len(text) <= MAX_SNIPPET_CHARS:
            text = _visible_text(html)
    if len(text) > MAX_SNIPPET_CHARS:
        text = text[: MAX_SNIPPET_CHARS - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
    return text or None


def _visible_text(html: str) -> str:
    if "<" in html:
        html = _TAG.sub("", _BREAK.sub(" <", _INVISIBLE.sub(" ", html)))
    if "&" in html:
        html = unescape_html(html)
    return fold_whitespace(html) or ""


def fold_whitespace(text: str) -> str | None:
    """Fold white space and drop invisible characters; None if nothing is left."""
    if not text.isprintable():
        text = _INVISIBLE_CHARACTERS.sub("", text)
    elif "  " not in text:
        # The plain space is the only white space that is printable.
        return text.strip() or None
    return " ".join(text.split()) or None
