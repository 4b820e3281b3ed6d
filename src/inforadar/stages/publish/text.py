"""Makes text from the web safe for documents.

There are three dangers. Characters that XML forbids (or that only broken converters produce) are removed,
because one of them would make the whole feed unreadable. Markup is always escaped, with `str.replace`, which
on non-Latin scripts is forty times faster than `str.translate`. And where a format does not say if a text is
HTML (an RSS title), anything that looks like markup is defused, so that both kinds of reader show it as text.
"""

from __future__ import annotations

import re

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""XML's forbidden characters, and the C1 controls: legal, but in practice always misread Windows-1252."""

_LINE_ENDS = re.compile("\r\n?|\x85")

_RARE_BYTES = bytes([*range(9), 0x0B, 0x0C, *range(0x0D, 0x20), 0x7F])
_C1 = re.compile(rb"\xc2[\x80-\x9f]")
_NONCHARACTERS = re.compile(rb"\xef\xbf[\xbe\xbf]")

_LIKE_MARKUP = re.compile(r"<(?=[A-Za-z/!?])|&(?=#?[A-Za-z0-9]+;)")
_WORD_JOINER = "\u2060"

_BIDI_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"

_BLANK_LINES = re.compile(r"\n\s*\n")


def clean(text: str) -> str:
    """Remove forbidden characters and end lines with a line feed."""
    if text.isprintable():
        return text
    return _FORBIDDEN.sub("", _LINE_ENDS.sub("\n", text))


def clean_markup(markup: str) -> str:
    """Do the same as `clean` for kilobytes of markup that are nearly always clean already.

    Searching bytes is four times faster than searching characters. Called once for a whole item, so that no
    field can be forgotten. That is safe: markup itself consists of allowed characters, and removing a character
    from escaped text cannot unescape it.
    """
    if markup.isprintable():
        return markup
    try:
        encoded = markup.encode()
    except UnicodeEncodeError:
        return clean(markup)
    is_clean = (
        len(encoded.translate(None, _RARE_BYTES)) == len(encoded)
        and not (b"\xc2" in encoded and _C1.search(encoded))
        and not (b"\xef" in encoded and _NONCHARACTERS.search(encoded))
    )
    return markup if is_clean else clean(markup)


def one_line(text: str | None) -> str:
    """Clean a text and collapse its white space: for titles, names and labels."""
    return " ".join(clean(text).split()) if text else ""


def escape(text: str) -> str:
    """Escape the content of an element, in XML or HTML. Checks first: most texts have nothing to escape."""
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text:
        text = text.replace("<", "&lt;")
    if ">" in text:
        text = text.replace(">", "&gt;")
    return text


def escape_attribute(line: str) -> str:
    """Escape an attribute in double quotes. Pass one line: parsers turn line ends in attributes into spaces."""
    return escape(line).replace('"', "&quot;")


def escape_html_text(text: str) -> str:
    """Escape plain text twice, for where a document expects escaped HTML."""
    return text.replace("&", "&amp;amp;").replace("<", "&amp;lt;").replace(">", "&amp;gt;")


def defuse_markup(text: str) -> str:
    """Make a clean text read the same to readers that expect plain text and readers that expect HTML.

    An invisible word joiner after each character that would open a tag or an entity prevents that.
    """
    if "<" in text or "&" in text:
        return _LIKE_MARKUP.sub(lambda sign: sign[0] + _WORD_JOINER, text)
    return text


def looks_like_markup(text: str) -> bool:
    """Would `defuse_markup` change this text?"""
    return ("<" in text or "&" in text) and _LIKE_MARKUP.search(text) is not None


def isolate_direction(text: str) -> str:
    """Keep the writing direction of a clean text from affecting the words next to it."""
    text = _BIDI_CONTROLS.sub("", text)
    if _RIGHT_TO_LEFT.search(text):
        return f"{_FIRST_STRONG_ISOLATE}{text}{_POP_ISOLATE}"
    return text


def paragraphs_html(text: str) -> str:
    """Render plain text as HTML paragraphs."""
    escaped = escape(text.strip())
    if "\r" in escaped:
        escaped = _LINE_ENDS.sub("\n", escaped)
    if not escaped:
        return ""
    parts = _BLANK_LINES.split(escaped) if "\n" in escaped else [escaped]
    return "".join(["<p>" + part.replace("\n", "<br/>") + "</p>" for part in parts])
