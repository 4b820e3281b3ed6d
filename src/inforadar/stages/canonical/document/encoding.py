"""From bytes to text: what the page says it is encoded in, believed only as far as the bytes agree.

Servers and authors are often wrong about this, each in their own way, so the order is: a byte order mark;
bytes that are valid UTF-8 and not just ASCII (no other encoding produces them by accident); then the HTTP
header and the `<meta>` element, if they name an encoding of the web and the text decodes in it; then the
encoding in which the text looks most like a language.
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
_META_REACH = 4096

# As browsers read these labels (WHATWG), not as Python does: each is the superset that pages really use.
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
# Python knows encodings that no browser does: `undefined` and `idna`, which only raise, EBCDIC, escapes for
# source code. And who could read as far as the claim cannot be reading UTF-16.
_OF_THE_WEB = frozenset(
    (
        "big5hkscs", "cp866", "cp874", "cp932", "cp949", "euc_jp", "gb18030", "iso2022_jp", "koi8-r", "koi8-u",
        "mac-cyrillic", "mac-roman", "utf-8", *(f"cp125{n}" for n in range(9)),
        *(f"iso8859-{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
    )
)  # fmt: skip
_SAMPLE = 200_000
_SHIFT_TO_JIS = re.compile(rb"\x1b\$[@B]")


def parse_text(body: bytes, content_type: str = "") -> str:
    """The page as text; what cannot be decoded becomes U+FFFD, NUL is dropped."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return _decoded(body[len(mark) :], name)
    return _decoded(body, _ascii_in_disguise(body) if body.isascii() else _encoding(body, content_type))


def _decoded(body: bytes, encoding: str) -> str:
    return body.decode(encoding, errors="replace").replace("\x00", "")


def _ascii_in_disguise(body: bytes) -> str:
    """UTF-16 and ISO-2022-JP can be written without a byte that ASCII does not have."""
    if _SHIFT_TO_JIS.search(body) and _reads_well(body, "iso2022_jp"):
        return "iso2022_jp"
    return _wide(body) or "ascii"


def _encoding(body: bytes, content_type: str) -> str:
    if _is_utf8(body):
        return "utf-8"
    wide = _wide(body)
    if wide:
        return wide
    for name in (_from_http(content_type), _from_meta(body)):
        if name and name != "utf-8" and _reads_well(body, name):
            return name
    return _best_guess(body)


def _from_http(content_type: str) -> str | None:
    match = _HTTP_CHARSET.search(content_type)
    return _known(match[1]) if match else None


def _from_meta(body: bytes) -> str | None:
    match = _META_CHARSET.search(body[:_META_REACH])
    return _known(match[1].decode("ascii", "replace")) if match else None


def _known(label: str) -> str | None:
    label = label.strip().lower()
    try:
        name = codecs.lookup(_LABELS.get(label, label)).name
    except LookupError:
        return None
    name = _LABELS.get(name, name)
    return name if name in _OF_THE_WEB else None


def _wide(body: bytes) -> str | None:
    """UTF-16 without a mark shows itself by the zero in every other byte of its tags."""
    start = body[:200]
    if start.count(0) * 3 < len(start):
        return None
    return "utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be"


def _is_utf8(body: bytes) -> bool:
    """Valid, or so nearly that something was cut or pasted in: a bad byte for 200 good sequences at most."""
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


# The most frequent signs of Chinese, in both forms.
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

# Double-byte encodings first: text in another encoding rarely decodes in them at all, and then into signs
# that nobody uses. Each with the signs that everyday text is full of, and the least share of them.
_DOUBLE_BYTE = (
    ("cp932", re.compile(r"[\u3041-\u3096\u30a1-\u30fa\u30fc]"), 0.25),
    ("euc_jp", re.compile(r"[\u3041-\u3096\u30a1-\u30fa\u30fc]"), 0.25),
    ("gb18030", re.compile(f"[{_SIMPLIFIED}]"), 0.2),
    ("big5hkscs", re.compile(f"[{_TRADITIONAL}]"), 0.2),
    ("euc_kr", re.compile(r"[\uac00-\ud7a3]"), 0.5),
)
# Any byte decodes in the others; the right one shows the letters that the language uses most.
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
    sample = body[:_SAMPLE]
    runs = _HIGH_BYTES.findall(sample)
    # Two in a row still occur in Latin letters: `Grüße`.
    in_words = sum(len(run) for run in runs if len(run) > 2)
    if 2 * in_words < sum(map(len, runs)):
        # Accents among ASCII letters: a language in Latin letters.
        return max(_LATIN, key=lambda guess: _share(sample, *guess))[0]
    for name, common, least in _DOUBLE_BYTE:
        if _share(sample, name, common) > least:
            return "cp949" if name == "euc_kr" else name
    return max(_OTHER_SCRIPTS, key=lambda guess: _share(sample, *guess))[0]


def _share(sample: bytes, name: str, common: re.Pattern[str]) -> float:
    """How much of what is not ASCII the common signs make up, less what does not decode."""
    text = sample.decode(name, errors="replace")
    foreign = "".join(_NOT_ASCII.findall(text))
    if not foreign:
        return 0.0
    return (len(common.findall(foreign)) - 5 * foreign.count("\ufffd")) / len(foreign)
