"""From bytes to text, whatever a server or a document claims about its encoding.

The evidence is asked in the order in which it is right in practice: a byte order mark, then whether the
bytes are UTF-8 (other text almost never is by chance, while plenty of UTF-8 is declared to be something
else), then what the server said, then what the document says of itself, then what the bytes look like.
"""

from __future__ import annotations

import codecs
import re

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_FIRST_SIGN = (
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
_WIDER = {
    # What publishers call by the standard's name is nearly always the vendor's larger set.
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874",
    "tis-620": "cp874", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949",
    "big5": "big5hkscs",
}  # fmt: skip
UTF8 = frozenset({"", "utf-8", "utf8", "us-ascii", "ascii"})
"""Declarations of documents that are UTF-8, if they tell the truth."""

_GUESSED = [
    "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp874", "koi8_r",
    "gb18030", "big5", "cp932", "euc_jp", "cp949",
]  # fmt: skip
_STRANGE = re.compile(rb"[\x80-\xff]")
_STRANGE_RUN = re.compile(rb"[\x80-\xff][^\x00-\x1f<>&;]*")
_ENOUGH = 12
"""Fewer bytes than this beyond ASCII tell nothing."""

_REFUSED = frozenset({"utf-7", "punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined"})
"""Codecs that no document is written in, and that are slow or treacherous on hostile input."""

_ESCAPED = re.compile(rb"\x1b[$(]|~\{")
"""How the seven-bit encodings of East Asia begin; their bytes pass for ASCII."""


def decode(data: bytes, content_type: str = "") -> str:
    """The text of a document. Never fails; what cannot be read becomes U+FFFD."""
    if marked := marked_encoding(data):
        return data.decode(marked, "replace").removeprefix("\ufeff")
    claims = claimed_encodings(data, content_type)
    if _ESCAPED.search(data):
        for encoding in claims:
            if encoding.startswith(("iso2022", "hz")):
                return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    for encoding in claims:
        try:
            return data.decode(encoding)
        except UnicodeError:
            continue
    return _best_guess(data, claims)


def marked_encoding(data: bytes) -> str:
    """What a byte order mark says, or the zeros around the first sign; nothing if neither says anything."""
    signs = (*_BYTE_ORDER_MARKS, *_FIRST_SIGN)
    return next((encoding for sign, encoding in signs if data.startswith(sign)), "")


def declared_encoding(data: bytes) -> str:
    """What the XML declaration says, in lower case; nothing if it says nothing."""
    match = _DECLARED.search(data, 0, 400)
    return match[1].decode("ascii", "replace").lower() if match else ""


def claimed_encodings(data: bytes, content_type: str) -> list[str]:
    """The encodings named by the server and by the document, as Python calls them, UTF-8 left out."""
    names = [match[1] for match in [_CHARSET.search(content_type)] if match]
    names.append(declared_encoding(data))
    names += [match[1].decode("ascii", "replace") for match in [_META.search(data, 0, 4096)] if match]
    claims: list[str] = []
    for name in names:
        try:
            codec = codecs.lookup(name).name
        except (LookupError, ValueError):
            continue
        codec = _WIDER.get(codec, codec)
        if codec.replace("_", "-") not in _REFUSED and not codec.startswith("utf") and codec not in claims:
            try:
                b"x".decode(codec)
            except (LookupError, UnicodeError):  # one of the codecs that make bytes of bytes
                continue
            claims.append(codec)
    return claims


def _best_guess(data: bytes, claims: list[str]) -> str:
    """Nothing fits to the last byte: the reading with the fewest unreadable signs, UTF-8 first."""
    strange = sum(1 for byte in data[:200_000] if byte >= 0x80) or 1
    for encoding in ("utf-8", *claims):
        text = data.decode(encoding, "replace")
        if text[:200_000].count("\ufffd") * 20 <= strange:
            return data.decode("utf-8", AS_WINDOWS) if encoding == "utf-8" else text
    return data.decode(_looks_like(data), "replace")


def _looks_like(data: bytes) -> str:
    # Tags and spaces are the same in all encodings; the guess is made from what differs.
    sample = b" ".join(_STRANGE_RUN.findall(data[:100_000]))[:8_000]
    if len(_STRANGE.findall(sample)) < _ENOUGH:
        return "cp1252"
    from charset_normalizer import from_bytes  # noqa: PLC0415 - dear to import, and hardly ever needed

    best = from_bytes(sample, cp_isolation=_GUESSED).best()
    return best.encoding if best is not None else "cp1252"


def _windows_sign(error: UnicodeError) -> tuple[str, int]:
    """A lone byte in UTF-8 text is what someone pasted from Windows."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


AS_WINDOWS = "inforadar.windows"
"""How to treat bytes that do not fit: as Windows would read them."""

codecs.register_error(AS_WINDOWS, _windows_sign)
