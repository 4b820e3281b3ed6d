"""Which encoding bytes are in, by the language that they read as: what servers and authors say is often wrong.

A leaf of its own, because the discover and canonical stages both need it and may not import each other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_SAMPLE_BYTES = 200_000
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_LATIN_ENCODINGS = frozenset({"cp1250", "cp1252", "cp1254", "cp1257", "iso8859-1", "iso8859-2", "iso8859-15"})
_MIN_FOREIGN_BYTES = 12
"""Fewer bytes are not enough to say that a text is not in Latin script."""
_MIN_SHARE_OF_BEST = 0.8
"""A claimed encoding is believed if it reads nearly as well as the best."""

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


_COMMON = {
    **{name: common for name, common, _ in _DOUBLE_BYTE},
    **dict(_OTHER_SCRIPTS),
    "koi8-r": _OTHER_SCRIPTS[1][1],
    "cp949": _DOUBLE_BYTE[-1][1],
}


def is_nearly_utf8(body: bytes, *, is_claimed: bool) -> bool:
    """Whether a text that is not valid UTF-8 is UTF-8 with stray bytes, as cutting and pasting leave them.

    Text in another encoding has next to no valid sequences. Declared UTF-8 needs only as many of them as stray bytes.
    """
    text = body.decode("utf-8", errors="replace")
    bad = text.count("\ufffd")
    good = sum(map(len, _NOT_ASCII.findall(text))) - bad
    return good > 0 and (bad <= good if is_claimed else bad * 20 <= good)


def believable_encodings(body: bytes, claims: Sequence[str]) -> list[str]:
    """The claimed encodings that the bytes agree with, the most reliable first; before them a better one, if any."""
    sample = body[:_SAMPLE_BYTES]
    if not claims or not _is_foreign_script(sample):
        # Servers name Latin 1 by default.
        return sorted(claims, key=lambda name: name == "cp1252")
    foreign = [name for name in claims if name not in _LATIN_ENCODINGS]
    if any(name not in _COMMON for name in foreign):
        return foreign
    best = guess_encoding(sample)
    scores = {name: _share(sample, name, _COMMON[name]) for name in foreign if name in _COMMON}
    limit = _MIN_SHARE_OF_BEST * _share(sample, best, _COMMON[best]) if best in _COMMON else 0.0
    believed = sorted((name for name in foreign if scores[name] >= limit), key=lambda name: -scores[name])
    return believed or [best]


def _is_foreign_script(sample: bytes) -> bool:
    """Whether most bytes beyond ASCII are in runs of letters, as in no Latin script."""
    runs = _HIGH_BYTES.findall(sample)
    letters = sum(1 for run in runs if len(run) > 2 for byte in run if byte > 0xA0)
    return letters >= _MIN_FOREIGN_BYTES and 2 * letters >= sum(map(len, runs))


def guess_encoding(body: bytes) -> str:
    """The encoding in which the text looks most like a language."""
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
