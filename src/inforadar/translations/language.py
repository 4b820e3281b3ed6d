"""The languages of the interface, and which of them a browser asks for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    code: str
    """Its name in settings, in the cookie and of its file."""
    tag: str
    """For `lang=` in HTML."""
    name: str
    """Its own name for itself."""


ENGLISH = Language("en", "en", "English")
LANGUAGES = (
    ENGLISH,
    Language("pl", "pl", "Polski"),
    Language("ru", "ru", "Русский"),
    Language("zh", "zh-Hans", "简体中文"),
)
_BY_CODE = {language.code: language for language in LANGUAGES}
_MAX_RANGES = 20


def find_language(code: str | None) -> Language | None:
    """The language with this code."""
    return _BY_CODE.get(code or "")


def choose_language(accepted: str) -> Language:
    """The language that a header `Accept-Language` prefers among ours; English if it names none of them."""
    best, best_weight = ENGLISH, 0.0
    for part in accepted.split(",")[:_MAX_RANGES]:
        tag, *parameters = (piece.strip() for piece in part.split(";"))
        # Regions and scripts do not matter: nothing of ours is closer to zh-TW than zh.
        language = find_language(tag.partition("-")[0].lower())
        weight = _weight(parameters)
        if language is not None and weight > best_weight:
            best, best_weight = language, weight
    return best


def _weight(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
