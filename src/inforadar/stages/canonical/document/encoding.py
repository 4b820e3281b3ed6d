"""Decodes a page: its declared encoding is used only if the bytes agree.

Servers and authors are often wrong about the encoding, so the order is: a byte order mark; bytes that are valid
UTF-8 and not just ASCII (no other encoding produces them by accident), or nearly so; then the HTTP header and the
`<meta>` element, if they name an encoding used on the web and the text reads well in it; then the encoding in which
the text looks most like a language.
"""

from __future__ import annotations

import codecs
import re

from inforadar.encoding_guess import believable_encodings, guess_encoding, is_nearly_utf8

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_HTTP_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_META_CHARSET = re.compile(
    rb"""<(?:meta|\?xml)[^>]{0,400}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.I
)
_META_SEARCH_BYTES = 4096

# As browsers read these labels (WHATWG), not as Python does: each is the superset that pages actually use.
_LABELS = {
    "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "gb_2312-80": "gb18030",
    "chinese": "gb18030", "iso-8859-1": "cp1252", "latin1": "cp1252", "latin-1": "cp1252",
    "ascii": "cp1252", "us-ascii": "cp1252", "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932",
    "x-sjis": "cp932", "windows-31j": "cp932", "euc-kr": "cp949", "ks_c_5601-1987": "cp949",
    "ksc5601": "cp949", "korean": "cp949", "big5": "big5hkscs", "big5-hkscs": "big5hkscs",
    "x-x-big5": "big5hkscs", "iso-8859-9": "cp1254", "latin5": "cp1254", "tis-620": "cp874",
    "iso-8859-11": "cp874", "windows-874": "cp874", "x-euc-jp": "euc_jp", "utf8": "utf-8",
    "unicode-1-1-utf-8": "utf-8", "x-cp1251": "cp1251", "x-cp1252": "cp1252", "iso8859-1": "cp1252",
    "iso8859-9": "cp1254", "iso8859-11": "cp874", "euc_kr": "cp949", "x-mac-cyrillic": "mac-cyrillic",
    "iso-8859-8-i": "iso8859-8", "windows-949": "cp949",
}  # fmt: skip
# Python has encodings that no browser has: `undefined` and `idna`, which only raise, EBCDIC, and escapes for
# source code. UTF-16 is missing because a label that could be read as ASCII shows that the page is not UTF-16.
_WEB_ENCODINGS = frozenset(
    (
        "big5hkscs", "cp866", "cp874", "cp932", "cp949", "euc_jp", "gb18030", "iso2022_jp", "koi8-r", "koi8-u",
        "mac-cyrillic", "mac-roman", "utf-8", *(f"cp125{n}" for n in range(9)),
        *(f"iso8859-{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
    )
)  # fmt: skip
_SHIFT_TO_JIS = re.compile(rb"\x1b\$[@B]")


def parse_text(body: bytes, content_type: str = "") -> str:
    """Decode a page; undecodable bytes become U+FFFD, and NUL is removed."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return _decoded(body[len(mark) :], name)
    return _decoded(body, _encoding_of_ascii(body) if body.isascii() else _encoding(body, content_type))


def _decoded(body: bytes, encoding: str) -> str:
    return body.decode(encoding, errors="replace").replace("\x00", "")


def _encoding_of_ascii(body: bytes) -> str:
    """Detect UTF-16 and ISO-2022-JP, which can consist of ASCII bytes only."""
    if _SHIFT_TO_JIS.search(body) and _reads_well(body, "iso2022_jp"):
        return "iso2022_jp"
    return _utf16_without_mark(body) or "ascii"


def _encoding(body: bytes, content_type: str) -> str:
    claims = [name for name in (_from_http(content_type), _from_meta(body)) if name]
    if _is_utf8(body, is_claimed="utf-8" in claims):
        return "utf-8"
    utf16 = _utf16_without_mark(body)
    if utf16:
        return utf16
    for name in believable_encodings(body, [name for name in claims if name != "utf-8"]):
        if _reads_well(body, name):
            return name
    return guess_encoding(body)


def _from_http(content_type: str) -> str | None:
    match = _HTTP_CHARSET.search(content_type)
    return _web_encoding(match[1]) if match else None


def _from_meta(body: bytes) -> str | None:
    match = _META_CHARSET.search(body[:_META_SEARCH_BYTES])
    return _web_encoding(match[1].decode("ascii", "replace")) if match else None


def _web_encoding(label: str) -> str | None:
    label = label.strip().lower()
    try:
        name = codecs.lookup(_LABELS.get(label, label)).name
    except LookupError:
        return None
    name = _LABELS.get(name, name)
    return name if name in _WEB_ENCODINGS else None


def _utf16_without_mark(body: bytes) -> str | None:
    """Detect UTF-16 without a byte order mark by the zero in every other byte of its tags."""
    start = body[:200]
    if start.count(0) * 3 < len(start):
        return None
    return "utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be"


def _is_utf8(body: bytes, *, is_claimed: bool) -> bool:
    """Whether it is valid UTF-8, but for a few bytes that were damaged by cutting or pasting."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return is_nearly_utf8(body, is_claimed=is_claimed)
    return True


_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


def _reads_well(body: bytes, name: str) -> bool:
    text = body.decode(name, errors="replace")
    bad = text.count("\ufffd")
    return bad == 0 or bad * 100 < sum(map(len, _NOT_ASCII.findall(text)))
