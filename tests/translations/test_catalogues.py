"""The catalogues say everything that the code says, with the same placeholders and markup."""

import re

import pytest
from scripts import update_messages as messages

from inforadar.translations import LANGUAGES
from inforadar.translations.catalogue import FOLDER, Entry, load_catalogue

CODES = [language.code for language in LANGUAGES if language.code != "en"]
PLACEHOLDER = re.compile(r"%\((\w+)\)s")
TAG = re.compile(r"</?\w+[^>]*>")


@pytest.fixture(scope="module")
def found() -> dict[tuple[str, str], Entry]:
    return messages.find_messages()


@pytest.mark.parametrize("code", CODES)
def test_every_message_of_the_code_is_translated_and_no_other_is_kept(
    code: str, found: dict[tuple[str, str], Entry]
) -> None:
    known = messages.read_catalogue(FOLDER / f"{code}.po")
    del known["", ""]
    assert not set(found) - set(known), "run `make messages`, then translate them"
    assert not set(known) - set(found), "run `make messages`"
    empty = [key for key, entry in known.items() if not all(entry.texts.values())]
    assert empty == []


@pytest.mark.parametrize("code", CODES)
def test_a_translation_has_the_placeholders_and_the_markup_of_its_message(code: str) -> None:
    entries = messages.read_catalogue(FOLDER / f"{code}.po")
    del entries["", ""]
    for entry in entries.values():
        for text in entry.texts.values():
            # `%` alone would break the formatting.
            assert "%" not in PLACEHOLDER.sub("", text), text
            assert set(PLACEHOLDER.findall(text)) == set(PLACEHOLDER.findall(entry.id)), text
            assert sorted(TAG.findall(text)) == sorted(TAG.findall(entry.id)), text


@pytest.mark.parametrize("code", CODES)
def test_a_count_has_as_many_forms_as_its_language(code: str) -> None:
    catalogue = load_catalogue(code)
    assert catalogue is not None
    forms = {catalogue.choose_form(number) for number in range(200)}
    assert {len(texts) for texts in catalogue.plurals.values()} == {len(forms)}


def test_a_catalogue_is_written_as_it_was_read() -> None:
    for path in messages.catalogue_paths():
        entries = messages.read_catalogue(path)
        assert messages.write_entries(entries.values()) == path.read_text("utf-8")


@pytest.mark.parametrize("code", CODES)
def test_the_page_has_texts_for_scripts_and_only_theirs(code: str) -> None:
    catalogue = load_catalogue(code)
    assert catalogue is not None
    assert "Undo" in catalogue.script_texts
    assert "App passwords" not in catalogue.script_texts
