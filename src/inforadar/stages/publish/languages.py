"""Language tags that feed validators accept; sources often declare a name or a locale instead."""

from __future__ import annotations

import re

from inforadar.short_cache import short_cache

_TWO_LETTERS = frozenset(
    {
        "aa", "ab", "ae", "af", "ak", "am", "an", "ar", "as", "av", "ay", "az", "ba", "be", "bg", "bi",
        "bm", "bn", "bo", "br", "bs", "ca", "ce", "ch", "co", "cr", "cs", "cu", "cv", "cy", "da", "de",
        "dv", "dz", "ee", "el", "en", "eo", "es", "et", "eu", "fa", "ff", "fi", "fj", "fo", "fr", "fy",
        "ga", "gd", "gl", "gn", "gu", "gv", "ha", "he", "hi", "ho", "hr", "ht", "hu", "hy", "hz", "ia",
        "id", "ie", "ig", "ii", "ik", "io", "is", "it", "iu", "ja", "jv", "ka", "kg", "ki", "kj", "kk",
        "kl", "km", "kn", "ko", "kr", "ks", "ku", "kv", "kw", "ky", "la", "lb", "lg", "li", "ln", "lo",
        "lt", "lu", "lv", "mg", "mh", "mi", "mk", "ml", "mn", "mr", "ms", "mt", "my", "na", "nb", "nd",
        "ne", "ng", "nl", "nn", "no", "nr", "nv", "ny", "oc", "oj", "om", "or", "os", "pa", "pi", "pl",
        "ps", "pt", "qu", "rm", "rn", "ro", "ru", "rw", "sa", "sc", "sd", "se", "sg", "si", "sk", "sl",
        "sm", "sn", "so", "sq", "sr", "ss", "st", "su", "sv", "sw", "ta", "te", "tg", "th", "ti", "tk",
        "tl", "tn", "to", "tr", "ts", "tt", "tw", "ty", "ug", "uk", "ur", "uz", "ve", "vi", "vo", "wa",
        "wo", "xh", "yi", "yo", "za", "zh", "zu",
    }
)  # fmt: skip
"""All of ISO 639-1."""

_THREE_LETTERS = frozenset(
    {
        "ace", "ast", "awa", "ban", "bho", "ceb", "chr", "crh", "csb", "dsb", "fil", "fur", "gsw",
        "haw", "hil", "hsb", "ilo", "kab", "kok", "lad", "mad", "mai", "min", "mni", "mwl", "nap",
        "nds", "nso", "pap", "sah", "sat", "scn", "sco", "syr", "tet", "tpi", "vec", "war", "zap",
    }
)  # fmt: skip
"""The living languages of ISO 639-2 that have news and no two-letter code."""

_TAG = re.compile(r"([A-Za-z]{2,3})((?:-[A-Za-z0-9]{2,8})*)")


@short_cache(256, max_length=100)
def language_tag(declared: str | None) -> str | None:
    """Return a valid tag (`en_US` becomes `en-US`), or None if it is not a known language."""
    if not declared:
        return None
    found = _TAG.fullmatch(declared.strip().replace("_", "-"))
    if found is None:
        return None
    language = found[1].lower()
    if language not in _TWO_LETTERS and language not in _THREE_LETTERS:
        return None
    return language + found[2]


def other_language(declared: str | None, of_channel: str | None) -> str | None:
    """Return the tag of an entry's language if it is not that of the channel.

    All formats write the same: whether a document has changed is told by its RSS.
    """
    tag = language_tag(declared)
    return tag if tag != language_tag(of_channel) else None
