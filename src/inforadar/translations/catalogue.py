"""Catalogues of messages in the format of gettext (PO), read as they are.

Reading one takes some milliseconds, once per language and process. Compiled files would be a second copy that can be
forgotten; Babel, which could read these too, is ten megabytes for one function.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from gettext import c2py
from pathlib import Path

FOLDER = Path(__file__).parent
Key = tuple[str, str]
"""A context, mostly empty, and the message in English; of a message with a plural, its singular."""


@dataclass(slots=True, kw_only=True)
class Entry:
    """One message of a PO file."""

    context: str = ""
    id: str = ""
    plural_id: str = ""
    texts: dict[int, str] = field(default_factory=dict)
    places: list[str] = field(default_factory=list)
    """The files that use it."""
    is_fuzzy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    messages: Mapping[Key, str]
    plurals: Mapping[Key, Sequence[str]]
    choose_form: Callable[[int], int]
    """The number of the plural form for a count."""
    script_texts: Mapping[str, str | Sequence[str]]
    """The messages that scripts of the page use."""


def read_entries(text: str) -> Iterator[Entry]:
    """Yield the entries of a PO file, the header among them: its message is empty."""
    entry, part = Entry(), ""
    for line in text.splitlines():
        if not line:
            if entry.texts:
                yield entry
            entry, part = Entry(), ""
        elif line.startswith("#:"):
            entry.places += line[2:].split()
        elif line.startswith("#,"):
            entry.is_fuzzy = "fuzzy" in line
        elif not line.startswith("#"):
            if not line.startswith('"'):
                part, line = line.split(" ", 1)  # noqa: PLW2901
            # A string of C; those that Babel writes are also JSON.
            _add(entry, part, json.loads(line))
    if entry.texts:
        yield entry


def _add(entry: Entry, part: str, text: str) -> None:
    match part:
        case "msgctxt":
            entry.context += text
        case "msgid":
            entry.id += text
        case "msgid_plural":
            entry.plural_id += text
        case _:
            number = int(part[7:-1] or 0) if part.startswith("msgstr[") else 0
            entry.texts[number] = entry.texts.get(number, "") + text


@cache
def load_catalogue(code: str) -> Catalogue | None:
    """Load the catalogue of a language; English has none."""
    path = FOLDER / f"{code}.po"
    if not path.exists():
        return None
    messages: dict[Key, str] = {}
    plurals: dict[Key, list[str]] = {}
    script_texts: dict[str, str | Sequence[str]] = {}
    choose_form: Callable[[int], int] = bool
    for entry in read_entries(path.read_text(encoding="utf-8")):
        texts = [entry.texts[number] for number in sorted(entry.texts)]
        if not entry.id:
            choose_form = _plural_rule(texts[0])
        elif entry.is_fuzzy or not all(texts):
            continue
        elif entry.plural_id:
            plurals[entry.context, entry.id] = texts
        else:
            messages[entry.context, entry.id] = texts[0]
        if entry.id and any(place.endswith(".js") for place in entry.places):
            script_texts[entry.id] = texts if entry.plural_id else texts[0]
    return Catalogue(messages=messages, plurals=plurals, choose_form=choose_form, script_texts=script_texts)


def _plural_rule(header: str) -> Callable[[int], int]:
    """The rule in the header's line `Plural-Forms: nplurals=3; plural=…;`."""
    for line in header.splitlines():
        if line.startswith("Plural-Forms:"):
            return c2py(line.partition("plural=")[2].rstrip("; "))
    return bool
