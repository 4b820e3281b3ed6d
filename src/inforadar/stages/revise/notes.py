"""Whether a text itself says that it was corrected or updated."""

from __future__ import annotations

from inforadar.stages.revise.normalize import find_stamps, split_words
from inforadar.stages.revise.phrases import NOTE

MAX_NOTE_CHARS = 500


def find_note(old: str, new: str) -> str:
    """The note that the new text has and the old one has not; empty if the change is silent.

    A correction comes before a mere "Updated at 14:32".
    """
    known = {_key(note) for note in _notes(old)}
    for note in _notes(new):
        if _key(note) not in known:
            return note[:MAX_NOTE_CHARS]
    stamps = set(find_stamps(old))
    return next((stamp for stamp in find_stamps(new) if stamp not in stamps), "")


def _notes(text: str) -> list[str]:
    return [match.group().strip(' \n.!?)(["»') for match in NOTE.finditer(text)]


def _key(note: str) -> tuple[str, ...]:
    return tuple(word.key for word in split_words(note))
