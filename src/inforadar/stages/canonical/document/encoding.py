"""Decodes a page: its declared encoding is used only if the bytes agree.

Servers and authors are often wrong about the encoding, so the order is: a byte order mark; bytes that are valid
UTF-8 and not just ASCII (no other encoding produces them by accident); then the HTTP header and the `<meta>`
element, if they name an encoding used on the web and the text decodes in it; then the encoding in which the
text looks most like a language.
"""

from __future__ import annotations

import codecs
import re

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
_SAMPLE_BYTES = 200_000
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
    if _is_utf8(body):
        return "utf-8"
    utf16 = _utf16_without_mark(body)
    if utf16:
        return utf16
    for name in (_from_http(content_type), _from_meta(body)):
        if name and name != "utf-8" and _reads_well(body, name):
            return name
    return _best_guess(body)


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


def _is_utf8(body: bytes) -> bool:
    """Is it valid UTF-8, with at most one byte per 200 non-ASCII characters damaged by cutting or pasting?"""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        text = body.decode("utf-8", errors="replace")
        bad = text.count("\ufffd")
        return bad * 200 < sum(map(len, _NOT_ASCII.findall(text)))
    return True


_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


def _reads_well(body: bytes, name: str) -> bool:
    text = body.decode(name, errors="replace")
    bad = text.count("\ufffd")
    return bad == 0 or bad * 100 < sum(map(len, _NOT_ASCII.findall(text)))


# The most frequent Chinese characters, in both forms.
_SIMPLIFIED = (
    "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小"
    "么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知"
    "民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间"
    "新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市"
)
_TRADITIONAL = (
    "的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可里後小"
    "麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知"
    "民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話者向情部正名定女問力機給等幾很業最間新"
    "什打便位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市"
)

# Double-byte encodings come first: text in another encoding rarely decodes in them at all, and then into rare
# characters. Each has the characters that are frequent in everyday text, and their minimum share.
_DOUBLE_BYTE = (
    ("cp932", re.compile(r"[\u3041-\u3096\u30a1-\u30fa\u30fc]"), 0.25),
    ("euc_jp", re.compile(r"[\u3041-\u3096\u30a1-\u30fa\u30fc]"), 0.25),
    ("gb18030", re.compile(f"[{_SIMPLIFIED}]"), 0.2),
    ("big5hkscs", re.compile(f"[{_TRADITIONAL}]"), 0.2),
    ("euc_kr", re.compile(r"[\uac00-\ud7a3]"), 0.5),
)
# Any byte decodes in these; the right encoding yields the most frequent letters of the language.
_OTHER_SCRIPTS = (
    ("cp1251", re.compile(r"[оеаинтсрвлкмдпуіяы]")),
    ("koi8_r", re.compile(r"[оеаинтсрвлкмдпуіяы]")),
    ("cp1253", re.compile(r"[αοιετσνηυρπκμλςό]")),
    ("cp1255", re.compile(r"[יוהלארתבמשנעדחם]")),
    ("cp1256", re.compile(r"[ايلمونترعبةدسهفقك]")),
    ("cp874", re.compile(r"[านรกอเงมยลวดส่ท้ตคะ]")),
)
_LATIN = (
    ("cp1252", re.compile(r"[àâäáãåçèéêëìíîïñòóôöõøùúûüýßœæ’‘“”„–—…©»«°·€]")),
    ("cp1250", re.compile(r"[áéíýčěřšůžąćęłńśźżóőű]")),
    ("cp1254", re.compile(r"[çğıöşüİâî]")),
)
_HIGH_BYTES = re.compile(rb"[\x80-\xff]+")


def _best_guess(body: bytes) -> str:
    sample = body[:_SAMPLE_BYTES]
    runs = _HIGH_BYTES.findall(sample)
    # Two in a row also occur in Latin script: `Grüße`.
    in_words = sum(len(run) for run in runs if len(run) > 2)
    if 2 * in_words < sum(map(len, runs)):
        # Single accented letters among ASCII: a language in Latin script.
        return max(_LATIN, key=lambda guess: _share(sample, *guess))[0]
    for name, common, least in _DOUBLE_BYTE:
        if _share(sample, name, common) > least:
            return "cp949" if name == "euc_kr" else name
    return max(_OTHER_SCRIPTS, key=lambda guess: _share(sample, *guess))[0]


def _share(sample: bytes, name: str, common: re.Pattern[str]) -> float:
    """Return the share of common characters in the non-ASCII text, minus a penalty for undecodable bytes."""
    text = sample.decode(name, errors="replace")
    foreign = "".join(_NOT_ASCII.findall(text))
    if not foreign:
        return 0.0
    return (len(common.findall(foreign)) - 5 * foreign.count("\ufffd")) / len(foreign)
