"""Sanitize text from the web for a terminal. Pure.

A title can contain escape sequences that move the cursor, invisible characters, characters that reverse the writing
direction, and a hundred accents on one letter that cover the lines above. `safe` and `safe_text` remove all that; all
text from outside passes through them. Styles are kept apart from the text, so markup in a title is only text.
"""

from __future__ import annotations

import json
import re
import unicodedata

MAX_ACCENTS = 3
"""Maximum accents on one letter; living scripts need no more."""

_JOINED = r"(?<=[^\x00-\x7f\u200b-\u200f])[\u200c\u200d](?=[^\x00-\x7f\u200b-\u200f])"
"""A joiner between two signs of a script or two emoji: without it the word or the picture is another one."""
_HARMFUL = re.compile(
    f"(?!{_JOINED})"
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)
"""Control characters, invisible characters, and marks that change the writing direction."""


def safe(value: object) -> str:
    """Make one line that a terminal shows literally."""
    text = str(value)
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    return " ".join(_limit_accents(_HARMFUL.sub(" ", text)).split())


def safe_text(value: str) -> str:
    """Like `safe`, but keep lines and indentation: for whole texts."""
    return "\n".join(_limit_accents(_HARMFUL.sub("", line.expandtabs(4))) for line in value.splitlines())


def safe_json(document: str) -> str:
    """Escape what may harm a terminal in a JSON document, which stays the same document for a program."""
    return _HARMFUL.sub(_json_escape, document) if not document.isascii() or "\x7f" in document else document


def _json_escape(found: re.Match[str]) -> str:
    sign = found[0]
    return sign if sign == "\n" else json.dumps(sign)[1:-1].replace("\x7f", "\\u007f")


def _limit_accents(text: str) -> str:
    """Keep at most `MAX_ACCENTS` combining characters in a row."""
    if text.isascii():
        return text
    kept: list[str] = []
    run = 0
    for sign in text:
        run = run + 1 if unicodedata.category(sign) in {"Mn", "Me"} else 0
        if run <= MAX_ACCENTS:
            kept.append(sign)
    return "".join(kept)
