"""Names in sentences, and which of them mean the same: "Mayor Torvald", "Torvald" and "Торвальд". Pure functions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise, takewhile

from inforadar.stages.group.tokens import fold
from inforadar.views.story_numbers import folded_words

MAX_NAME_WORDS = 5
MAX_CAPITALS = 6
"""A longer word in capitals shouts; a shorter one may be an abbreviation."""
MIN_SHARED_CHARS = 4
MAX_ENDING_CHARS = 3
"""Names in two scripts, or with endings, share all but this many letters."""

_NAME_RUN = re.compile(r"[^\W\d_][\w'’-]+(?: [^\W\d_][\w'’-]+)*")
_POSSESSIVE = re.compile(r"['’]s?\Z")
_OPENING = re.compile(r"(?:\A|[“\"„«‘(\[:—–-])\W*\Z")
_NO_NAMES = folded_words(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July "
    "August September October November December Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag We "
    "You They He She It The This That These Those There Here But And Our My Your His Her Their Not What When "
    "Where Who Why How If In On At As For To Of By With From After Before While Some Many All No Yes Also "
    "However Now Then Ein Eine Der Die Das Wir Sie Es Ich Мы Вы Они Он Она Оно Это Но Как Что Если Все"
)
_LATIN = str.maketrans(
    {
        **dict(zip("абвгдезиклмнопрстуфхыэё", "abvgdeziklmnoprstufhyee", strict=True)),
        "ж": "zh",
        "ц": "ts",
        "ч": "ch",
        "ш": "sh",
        "щ": "shch",
        "ю": "yu",
        "я": "ya",
        "ъ": "",
        "ь": "",
        "і": "i",
        "ї": "i",
        "є": "e",
        "ґ": "g",
        **dict(zip("αβγδεζηικλμνοπρσςτυφω", "abgdeziiklmnoprsstyfo", strict=True)),
        "θ": "th",
        "ξ": "ks",
        "χ": "ch",
        "ψ": "ps",
    }
)


def names_in(sentence: str) -> Iterator[str]:
    """Runs of capitalized words. One word at the beginning of a sentence or quotation is no name by itself."""
    for match in _NAME_RUN.finditer(sentence):
        starts = _OPENING.search(sentence[: match.start()]) is not None
        name: list[str] = []
        for place, word in enumerate([*match.group().split(" "), ""]):
            if word[:1].isupper() and not (word.isupper() and len(word) > MAX_CAPITALS):
                name.append(_POSSESSIVE.sub("", word))
                continue
            at_start = starts and place == len(name)
            while name and fold(name[0]) in _NO_NAMES:
                name.pop(0)
                at_start = False
            if (
                name
                and not (at_start and len(name) == 1)
                and len(name) <= MAX_NAME_WORDS
                and len(name[-1]) > 1
            ):
                yield " ".join(name)
            name = []


def same_names(keys: Collection[str]) -> Mapping[str, str]:
    """The folded name that stands for each of these: longer forms, other scripts and endings are joined."""
    found: dict[str, str] = {}
    by_last: defaultdict[str, list[str]] = defaultdict(list)
    for key in sorted(keys, key=lambda key: (len(key.split()), key)):
        by_last[key.split()[-1]].append(key)
    for own in by_last.values():
        for key in own:
            longer = [other for other in own if other.endswith(f" {key}")]
            # "Korea" is not told from "North Korea" and "South Korea".
            is_chain = all(two.endswith(f" {one}") for one, two in pairwise(longer))
            if longer and is_chain:
                found[key] = longer[-1]
    joined = {key: _last(found, key) for key in keys}
    return _over_scripts(joined)


def _last(found: Mapping[str, str], key: str) -> str:
    while key in found:
        key = found[key]
    return key


def _over_scripts(joined: Mapping[str, str]) -> dict[str, str]:
    """Join names in other alphabets with the Latin ones that sound like them, and inflected ones with each other."""
    heads = sorted(set(joined.values()), key=lambda key: (not key.isascii(), key))
    forms: dict[str, list[str]] = {}
    stands_for: dict[str, str] = {}
    by_begin: defaultdict[str, list[str]] = defaultdict(list)
    for head in heads:
        forms[head] = [key.translate(_LATIN) for key, own in joined.items() if own == head]
        latin = head.translate(_LATIN)
        begins = {form.split()[-1][:3] for form in forms[head]}
        if latin != head:
            near = (other for begin in begins for other in by_begin[begin])
            twin = next((other for other in near if _sound_alike(forms[head], forms[other])), None)
            if twin is not None:
                stands_for[head] = twin
                continue
        for begin in begins:
            by_begin[begin].append(head)
    return {key: stands_for.get(head, head) for key, head in joined.items()}


def _sound_alike(one: Collection[str], other: Collection[str]) -> bool:
    return any(_alike(left.split(), right.split()) for left in one for right in other)


def _alike(one: list[str], other: list[str]) -> bool:
    if len(one) != len(other):
        return False
    for left, right in zip(one, other, strict=True):
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))
        if shared < MIN_SHARED_CHARS or shared < max(len(left), len(right)) - MAX_ENDING_CHARS:
            return False
    return True
