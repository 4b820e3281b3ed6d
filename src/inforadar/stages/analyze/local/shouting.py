"""Turn capitals into normal case without losing names and abbreviations."""

from __future__ import annotations

from inforadar.stages.analyze.local.language import common_words
from inforadar.stages.analyze.local.lexicon import Lexicon
from inforadar.stages.analyze.local.passage import Passage, read_passage
from inforadar.stages.analyze.local.text import is_title_case

_QUOTES = ("'", '"', "“", "”", "‘", "’", "«", "»", "„")
_HANDLES = ("#", "@")


def lower_shouting(text: str, lexicon: Lexicon, context: Passage | None) -> str:
    """Lower the shouted words of a line; names and abbreviations keep their form where the context shows it."""
    passage = read_passage(text, lexicon)
    loud = set(passage.loudness.capitals)
    if not loud:
        return text
    # When everything is shouted, only the article tells a name from a word.
    everything = len(loud) * 3 > len(passage.words) * 2
    titled = everything or is_title_case(text)
    known_forms = _forms_in(context) if context else {}
    parts: list[str] = []
    end = 0
    for word in passage.words:
        form = text[word.start : word.end]
        if form not in loud:
            continue
        known = known_forms.get(word.lower)
        # Some capitals ("İ") do not survive lowering, and a quoted word stays as it was written.
        before = text[word.start - 1 : word.start]
        quoted = before in _QUOTES and text[word.end : word.end + 1] in _QUOTES
        if known == form or form.lower().upper() != form or quoted or before in _HANDLES:
            continue
        small = len(form) < 4 or word.lower in common_words(lexicon.language)
        if known and not (known.islower() and titled and lexicon.language == "en"):
            new = known
        elif titled and not small:
            new = form[:1] + form[1:].lower()
        else:
            new = form.lower()
        parts += [text[end : word.start], new]
        end = word.end
    return "".join(parts) + text[end:]


def _forms_in(passage: Passage) -> dict[str, str]:
    """Return each word's commonest form where it does not start a sentence; the earliest form wins ties."""
    forms: dict[str, dict[str, int]] = {}
    for word in passage.words:
        form = passage.text[word.start : word.end]
        before = passage.text[max(0, word.start - 2) : word.start].strip()
        if before and before[-1] in '.!?…"“:':
            continue
        counts = forms.setdefault(word.lower, {})
        counts[form] = counts.get(form, 0) + 1
    return {word: max(counts, key=lambda form: counts[form]) for word, counts in forms.items()}
