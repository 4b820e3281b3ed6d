"""How long a text takes to read. Pure."""

from __future__ import annotations

CHARACTERS_PER_MINUTE = 1100
"""About 200 words of a European language."""
CJK_CHARACTERS_PER_MINUTE = 400
_CJK = ("zh", "ja")


def reading_minutes(characters: int, language: str | None = None) -> int | None:
    """Whole minutes, at least one; None if there is no text."""
    if characters <= 0:
        return None
    is_cjk = language is not None and language.lower().startswith(_CJK)
    pace = CJK_CHARACTERS_PER_MINUTE if is_cjk else CHARACTERS_PER_MINUTE
    return max(1, round(characters / pace))
