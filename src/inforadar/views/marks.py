"""Mark the words that an analysis is based on, in titles and in texts that are safe HTML already. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape

from markupsafe import Markup

from inforadar.model.analysis import Analysis, ScoreName
from inforadar.translations import pgettext, term
from inforadar.views.function_words import FUNCTION_WORDS
from inforadar.views.sanitize import WHOLE_TAG, Budget

_ENTITY = r"&#?\w+;"
"""Entities, which would otherwise be matched as words."""
_HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CODE_STARTS = ("<code", "<pre", "<kbd", "<samp")
_CODE_ENDS = frozenset({"</code>", "</pre>", "</kbd>", "</samp>"})


class Marker:
    """Marks the words that an analysis is based on, with the reason.

    A script makes all of them one stop of the Tab key; without one, the reason is shown on hover and tap.
    """

    def __init__(self, reasons: Mapping[str, str], kinds: Mapping[str, str] | None = None) -> None:
        self._kinds = {escape(word.casefold(), quote=False): kind for word, kind in (kinds or {}).items()}
        self._reasons = {escape(word.casefold(), quote=False): reason for word, reason in reasons.items()}
        ordered = sorted(self._reasons, key=len, reverse=True)
        alternatives = [*(_bounded(word) for word in ordered), _ENTITY]
        self._pattern = re.compile("|".join(alternatives), re.IGNORECASE) if ordered else None

    def text(self, plain: str) -> Markup:
        """Escape plain text, such as a title, and mark its words."""
        return Markup(self._marked(escape(plain, quote=False), Budget()))  # noqa: S704 - escaped above

    def html(self, safe: Markup, budget: Budget | None = None) -> Markup:
        """Mark words in the text of safe HTML, never inside tags or code."""
        if self._pattern is None:
            return safe
        budget = budget or Budget()
        marked, codes = [], 0
        for number, part in enumerate(WHOLE_TAG.split(str(safe))):
            if number % 2:
                codes += (part.startswith(_CODE_STARTS)) - (part in _CODE_ENDS)
                marked.append(part)
            else:
                marked.append(part if codes > 0 else self._marked(part, budget))
        return Markup("".join(marked))  # noqa: S704 - as safe as it came

    def _marked(self, escaped: str, budget: Budget) -> str:
        steps = len(escaped) * (len(self._reasons) + 1)
        if self._pattern is None or budget.marks <= 0 or steps > budget.mark_steps:
            return escaped
        budget.mark_steps -= steps
        # Entities are found too; they count, so that a text full of them ends as well.
        marked, found = self._pattern.subn(self._mark, escaped, count=budget.marks)
        budget.marks -= found
        return marked

    def _mark(self, found: re.Match[str]) -> str:
        if (why := self._reasons.get(found[0].casefold())) is None:
            return found[0]
        reason, kind = escape(why), self._kinds.get(found[0].casefold(), "framing")
        return f'<mark class="word {kind}" tabindex="-1" data-reason="{reason}" title="{reason}">{found[0]}</mark>'


def _bounded(word: str) -> str:
    """Match whole words only; Chinese and Japanese do not separate words."""
    pattern = re.escape(word)
    if _HAN.search(word):
        return pattern
    before = r"(?<!\w)" if word[0].isalnum() else ""
    after = r"(?!\w)" if word[-1].isalnum() else ""
    return f"{before}{pattern}{after}"


IN_TITLES = tuple(name for name in ScoreName if name is not ScoreName.OVERALL)
IN_TEXTS = tuple(name for name in IN_TITLES if name is not ScoreName.CLICKBAIT)
"""Clickbait concerns titles only: the same words mean nothing inside a text."""


_KINDS: Mapping[ScoreName, tuple[str, str]] = {
    ScoreName.CLICKBAIT: ("clickbait", term("mark", "bait: promises more than it says")),
    ScoreName.HYPER_STIMULUS: ("shouting", term("mark", "shouting: louder than the matter")),
    ScoreName.PERSUASIVE: ("absolute", term("mark", "absolute: allows no doubt")),
    ScoreName.SPECULATIVE: ("speculation", term("mark", "speculation: nobody knows yet")),
    ScoreName.FRAMING: ("framing", term("mark", "loaded: judges while it tells")),
}
"""{score: (kind of tint, plain words)}; the first kind that fits colours the word."""


def marker_for(analysis: Analysis | None, names: tuple[ScoreName, ...] = IN_TITLES) -> Marker:
    """Make a marker with each word once, with all the scores it counts for. Function words are never marked."""
    reasons: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    for name, (kind, words) in _KINDS.items() if analysis else ():
        assert analysis is not None
        for word in _marked_words(analysis, name) if name in names else ():
            reasons.setdefault(word, []).append(pgettext("mark", words))
            kinds.setdefault(word, kind)
    told = {word: "; ".join(found).capitalize() for word, found in reasons.items()}
    return Marker(told, kinds)


def legend_for(analysis: Analysis | None) -> list[tuple[str, str]]:
    """List the tints of an item's marked words, each with its meaning in plain words."""
    return [
        (kind, pgettext("mark", words))
        for name, (kind, words) in _KINDS.items()
        if analysis and any(_marked_words(analysis, name))
    ]


def _marked_words(analysis: Analysis, name: ScoreName) -> Iterator[str]:
    for given in analysis.score(name).words:
        word = given.strip()
        if word and word.casefold() not in FUNCTION_WORDS:
            yield word
