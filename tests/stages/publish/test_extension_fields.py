"""Metadata that feed formats have no element for goes into our extension, whatever its type."""

from __future__ import annotations

from lxml import etree

from inforadar.stages.publish.deframe import NAMESPACE, fields_object, render_fields
from tests.support.trial_metadata import EMPTY, FULL, TRIAL_FIELDS

FIELDS = TRIAL_FIELDS[-2:]


def test_each_value_becomes_an_element_and_a_dataclass_its_attributes() -> None:
    markup = "".join(render_fields(FULL, FIELDS))
    found = etree.fromstring(f'<x xmlns:deframe="{NAMESPACE}">{markup}</x>')
    identifier, first, second = found
    assert (identifier.tag, identifier.text) == (f"{{{NAMESPACE}}}entryId", FULL.entry_id)
    assert (first.tag, dict(first.attrib)) == (
        f"{{{NAMESPACE}}}attachments",
        {"url": "https://example.com/a.mp3", "size": "0"},
    )
    assert dict(second.attrib) == {"url": "https://example.com/b?c=1&d"}


def test_json_feed_has_the_same_by_the_names_of_the_fields() -> None:
    assert fields_object(FULL, FIELDS) == {
        "entry_id": FULL.entry_id,
        "attachments": [
            {"url": "https://example.com/a.mp3", "size": 0},
            {"url": "https://example.com/b?c=1&d", "size": None},
        ],
    }


def test_what_is_not_known_is_left_out() -> None:
    assert "".join(render_fields(EMPTY, FIELDS)) == ""
    assert fields_object(EMPTY, FIELDS) == {}
