"""Text from the web, made harmless for a terminal and cut to its cells. Pure.

A title can hold escape sequences that move the cursor, characters that turn the writing around or that are not
seen, and a hundred accents on one letter that paint over the lines above. `safe` and `safe_text` take all that
away; nothing from outside reaches a terminal in another way. Styles are put beside a text, never into it, so
that markup in a title is only text.
"""

from __future__ import annotations

import re
import unicodedata

from rich.cells import cell_len, set_cell_size

MOST_MARKS = 3
"""Accents on one letter; living scripts need no more."""

_HARMFUL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)
"""Controls, characters that are not seen, and marks that change the direction of what follows."""


def safe(value: object) -> str:
    """One line that a terminal shows as it is."""
    text = str(value)
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    return " ".join(_calm(_HARMFUL.sub(" ", text)).split())


def safe_text(value: str) -> str:
    """As `safe`, with its lines and indentation kept: for texts that are shown as a whole."""
    return "\n".join(_calm(_HARMFUL.sub("", line.expandtabs(4))) for line in value.splitlines())


def _calm(text: str) -> str:
    """At most `MOST_MARKS` combining characters in a row."""
    if text.isascii():
        return text
    kept: list[str] = []
    run = 0
    for sign in text:
        run = run + 1 if unicodedata.category(sign) in {"Mn", "Me"} else 0
        if run <= MOST_MARKS:
            kept.append(sign)
    return "".join(kept)


def fit(text: str, width: int, *, right: bool = False) -> str:
    """Exactly `width` cells: cut with an ellipsis, or padded. The text must be `safe` already."""
    # No cell is made of more characters than this; a title of 10 KB is not measured to its end.
    short = text[: width * (MOST_MARKS + 1) + 1]
    length = cell_len(short)
    if length > width:
        short = set_cell_size(short, width - 1).rstrip() + "…" if width > 0 else ""
        length = cell_len(short)
    padding = " " * (width - length)
    return padding + short if right else short + padding
