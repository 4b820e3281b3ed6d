"""Decode bytes to text, whatever the server or the document claims about the encoding.

Evidence is checked in the order of how reliable it is in practice: a byte order mark; whether the bytes are valid
UTF-8 (other text almost never is by chance, while plenty of UTF-8 is declared as something else); the server's
header; the document's own declaration; and last, what the bytes look like.
"""

from __future__ import annotations

import codecs
import re

from inforadar.encoding_guess import believable_encodings, guess_encoding, is_nearly_utf8

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_FIRST_CHARACTER = (
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
    (b"{\0", "utf-16-le"),
    (b"\0{", "utf-16-be"),
)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']\s*([\w.:-]+)")
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_VENDOR_SUPERSETS = {
    # Publishers who name the standard nearly always use the vendor's larger character set.
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874",
    "tis-620": "cp874", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949",
    "big5": "big5hkscs",
}  # fmt: skip
UTF8_DECLARATIONS = frozenset({"", "utf-8", "utf8", "us-ascii", "ascii"})
"""Declared encodings that mean UTF-8, if the declaration is true; '' is none declared."""

_NON_ASCII = re.compile(rb"[\x80-\xff]")
_NON_ASCII_RUN = re.compile(rb"[\x80-\xff][^\x00-\x1f<>&;]*")
_MIN_NON_ASCII_BYTES = 12
"""Fewer non-ASCII bytes are not enough to guess from."""

_REFUSED = frozenset({"utf-7", "punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined"})
"""Codecs that no document uses and that are slow or unsafe on hostile input."""

_ESCAPES = (re.compile(rb"\x1b[$(]"), re.compile(rb"~\{"))
"""Escape sequences of the seven-bit East Asian encodings, whose bytes pass for ASCII.

Two patterns, because one that begins with a single byte is found a hundred times as fast.
"""


def decode(data: bytes, content_type: str = "") -> str:
    """Decode a document. Never fails; unreadable bytes become U+FFFD."""
    if marked := bom_encoding(data):
        return data.decode(marked, "replace").removeprefix("\ufeff")
    claims = claimed_encodings(data, content_type)
    if any(escape.search(data) for escape in _ESCAPES):
        for encoding in claims:
            if encoding.startswith(("iso2022", "hz")):
                return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if is_nearly_utf8(data, is_claimed=claims_utf8(data, content_type)):
        return data.decode("utf-8", CP1252_FALLBACK)
    claims = believable_encodings(data, claims)
    for encoding in claims:
        try:
            return data.decode(encoding)
        except UnicodeError:
            continue
    return _best_guess(data, claims)


def bom_encoding(data: bytes) -> str:
    """The encoding shown by a byte order mark or by zero bytes around the first character; '' if neither is there."""
    marks = (*_BYTE_ORDER_MARKS, *_FIRST_CHARACTER)
    return next((encoding for mark, encoding in marks if data.startswith(mark)), "")


def declared_encoding(data: bytes) -> str:
    """The encoding in the XML declaration, in lower case; '' if there is none."""
    match = _DECLARED.search(data, 0, 400)
    return match[1].decode("ascii", "replace").lower() if match else ""


def claims_utf8(data: bytes, content_type: str) -> bool:
    """Whether the server or the document says that it is UTF-8."""
    return any(name.lower() in {"utf-8", "utf8"} for name in _claimed_names(data, content_type))


def _claimed_names(data: bytes, content_type: str) -> list[str]:
    names = [match[1] for match in [_CHARSET.search(content_type)] if match]
    names.append(declared_encoding(data))
    return names + [match[1].decode("ascii", "replace") for match in [_META.search(data, 0, 4096)] if match]


def claimed_encodings(data: bytes, content_type: str) -> list[str]:
    """The encodings named by the server and the document, by their Python names, without UTF-8."""
    claims: list[str] = []
    for name in _claimed_names(data, content_type):
        try:
            codec = codecs.lookup(name).name
        except (LookupError, ValueError):
            continue
        codec = _VENDOR_SUPERSETS.get(codec, codec)
        if codec.replace("_", "-") not in _REFUSED and not codec.startswith("utf") and codec not in claims:
            try:
                b"x".decode(codec)
            except (LookupError, UnicodeError):  # a codec from bytes to bytes
                continue
            claims.append(codec)
    return claims


def _best_guess(data: bytes, claims: list[str]) -> str:
    """No encoding fits every byte: take the first with few unreadable characters, UTF-8 before the others."""
    non_ascii = sum(1 for byte in data[:200_000] if byte >= 0x80) or 1
    for encoding in ("utf-8", *claims):
        text = data.decode(encoding, "replace")
        if text[:200_000].count("\ufffd") * 20 <= non_ascii:
            return data.decode("utf-8", CP1252_FALLBACK) if encoding == "utf-8" else text
    return data.decode(_guess_encoding(data), "replace")


def _guess_encoding(data: bytes) -> str:
    # Tags and spaces are the same in every encoding, so only the text that differs is used for the guess.
    sample = b" ".join(_NON_ASCII_RUN.findall(data[:100_000]))[:8_000]
    if len(_NON_ASCII.findall(sample)) < _MIN_NON_ASCII_BYTES:
        return "cp1252"
    return guess_encoding(sample)


def _decode_as_cp1252(error: UnicodeError) -> tuple[str, int]:
    """Read an invalid byte in UTF-8 text as Windows does: usually it was pasted from there."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


CP1252_FALLBACK = "inforadar.windows"
"""Name of the error handler that reads invalid bytes as Windows-1252."""

codecs.register_error(CP1252_FALLBACK, _decode_as_cp1252)
