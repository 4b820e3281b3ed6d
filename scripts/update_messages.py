"""Bring the catalogues of `src/inforadar/translations` in step with the code: `make messages`.

    update_messages.py            add new messages without a translation, drop those that the code no longer has
    update_messages.py --missing  list the messages that have no translation yet
    update_messages.py --new xx   begin the catalogue of a language

Messages are found in Python (`gettext`, `ngettext`, `pgettext`, `term`), in templates and in scripts of the page.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from babel.messages.extract import extract_from_file

from inforadar.translations.catalogue import FOLDER, Entry, Key, read_entries

SOURCE = FOLDER.parent
KEYWORDS = {
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "term": ((1, "c"), 2),
}
TEMPLATE_OPTIONS = {
    "trimmed": "true",
    "silent": "false",
    "trim_blocks": "true",
    "lstrip_blocks": "true",
    "newstyle_gettext": "true",
}
HEADER = """\
Content-Type: text/plain; charset=utf-8
Language: {code}
Plural-Forms: nplurals=2; plural=(n != 1);
"""


def find_messages() -> dict[Key, Entry]:
    """Find all messages of the code, in the order of its files."""
    found: dict[Key, Entry] = {}
    for place, (_, message, _, context) in _extracted():
        one, plural = message if isinstance(message, tuple) else (message, "")
        entry = found.setdefault((context or "", one), Entry(context=context or "", id=one))
        entry.plural_id = entry.plural_id or plural
        if place not in entry.places:
            entry.places.append(place)
    return found


def _extracted() -> Iterator[tuple[str, tuple[int, str | tuple[str, str], list[str], str | None]]]:
    for path, method in _sources():
        options = TEMPLATE_OPTIONS if method == "jinja2" else {}
        place = path.relative_to(SOURCE).as_posix()
        for message in extract_from_file(method, path, keywords=KEYWORDS, options=options):
            yield place, message


def _sources() -> Iterator[tuple[Path, str]]:
    """The files that may have messages, and how to read them."""
    for path in sorted(SOURCE.rglob("*.py")):
        if path.parent != FOLDER and "inforadar.translations" in path.read_text(encoding="utf-8"):
            yield path, "python"
    pages = SOURCE / "web/pages"
    yield from ((path, "jinja2") for path in sorted((pages / "templates").glob("*.html")))
    yield from ((path, "javascript") for path in sorted((pages / "static").glob("*.js")))


def catalogue_paths() -> list[Path]:
    return sorted(FOLDER.glob("*.po"))


def read_catalogue(path: Path) -> dict[Key, Entry]:
    return {(entry.context, entry.id): entry for entry in read_entries(path.read_text(encoding="utf-8"))}


def merge(known: dict[Key, Entry], found: dict[Key, Entry]) -> list[Entry]:
    """The entries of a catalogue in step with the code; what is translated stays."""
    merged = [known["", ""]]
    for key, entry in found.items():
        old = known.get(key)
        is_same = old is not None and bool(old.plural_id) == bool(entry.plural_id)
        texts = old.texts if old is not None and is_same else {0: "", 1: ""} if entry.plural_id else {0: ""}
        merged.append(
            Entry(
                context=entry.context,
                id=entry.id,
                plural_id=entry.plural_id,
                places=entry.places,
                texts=texts,
            )
        )
    return merged


def write_entries(entries: Iterable[Entry]) -> str:
    """Write a PO file: one line a text, no dates, no line numbers, so that changes stay small."""
    return "\n".join("\n".join(_lines(entry)) + "\n" for entry in entries)


def _lines(entry: Entry) -> Iterator[str]:
    if entry.places:
        yield f"#: {' '.join(entry.places)}"
    if entry.context:
        yield f"msgctxt {_quoted(entry.context)}"
    yield f"msgid {_quoted(entry.id)}"
    if entry.plural_id:
        yield f"msgid_plural {_quoted(entry.plural_id)}"
        for number, text in sorted(entry.texts.items()):
            yield f"msgstr[{number}] {_quoted(text)}"
    else:
        yield f"msgstr {_quoted(entry.texts[0])}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def main() -> int:
    parser = argparse.ArgumentParser(description="Update the catalogues of messages.")
    parser.add_argument("--missing", action="store_true", help="list messages without a translation")
    parser.add_argument("--new", metavar="CODE", help="begin the catalogue of a language")
    given = parser.parse_args()
    found = find_messages()
    if given.new:
        start = [Entry(texts={0: HEADER.format(code=given.new)})]
        (FOLDER / f"{given.new}.po").write_text(write_entries(start), encoding="utf-8")
    for path in catalogue_paths():
        entries = merge(read_catalogue(path), found)
        path.write_text(write_entries(entries), encoding="utf-8")
        missing = [entry for entry in entries if not all(entry.texts.values())]
        sys.stdout.write(f"{path.name}: {len(entries) - 1} messages, {len(missing)} without a translation\n")
        if given.missing:
            sys.stdout.writelines(
                f"  {entry.context and f'{entry.context}: '}{entry.id}\n" for entry in missing
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
