"""The fields of metadata: described by their annotations, carried from one kind of item to another."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime

import pytest

from inforadar.model.item import (
    COUNTERS,
    DIFFED_FIELDS,
    METADATA_FIELDS,
    Item,
    Listed,
    Metadata,
    ServedItem,
    metadata_json,
    metadata_of,
)
from inforadar.model.metadata_fields import describe, json_value
from inforadar.stages.publish.entry import Entry
from tests.support.trial_metadata import FULL, TRIAL_FIELDS, Attachment


@pytest.mark.parametrize("kind", [Listed, Item, ServedItem, Entry])
def test_every_kind_of_item_has_all_metadata_and_says_none_of_it_again(kind: type) -> None:
    assert issubclass(kind, Metadata)
    assert not {field.name for field in METADATA_FIELDS} & kind.__annotations__.keys()


def test_a_fetch_compares_and_counts_what_the_specification_names() -> None:
    compared = {"title", "author", "snippet", "tags", "views", "comments", "rating", "bookmarks"}
    assert {field.name for field in DIFFED_FIELDS} >= compared
    assert set(COUNTERS) >= {"views", "comments", "rating", "bookmarks"}


def test_metadata_goes_from_one_kind_of_item_to_another() -> None:
    listed = Listed(url="https://example.com/1", title="T", tags=("a", "b"), views=0)
    assert list(metadata_of(listed)) == [field.name for field in fields(Metadata)]
    assert Metadata(**metadata_of(listed)) == Metadata(title="T", tags=("a", "b"), views=0)
    assert metadata_json(listed) == metadata_of(listed) | {
        "tags": ["a", "b"],
        "authors": [],
        "enclosures": [],
    }


def test_a_field_is_described_by_its_annotation() -> None:
    found = {field.name: field for field in TRIAL_FIELDS}
    assert (found["views"].type, found["views"].is_list) == (int, False)
    assert (found["tags"].type, found["tags"].is_list, found["tags"].parts) == (str, True, ())
    assert found["entry_id"].label == "Entry id"
    assert found["attachments"].type is Attachment
    assert [part.name for part in found["attachments"].parts] == ["url", "size"]


def test_json_holds_the_whole_value_and_gives_it_back() -> None:
    for field in TRIAL_FIELDS:
        value = getattr(FULL, field.name)
        assert field.from_json(json_value(value)) == value
    assert json_value(FULL.attachments)[0] == {"url": "https://example.com/a.mp3", "size": 0}


def test_a_type_that_no_column_holds_is_refused_at_once() -> None:
    @dataclass
    class Wrong:
        at: datetime | None = None

    with pytest.raises(TypeError, match=r"Wrong\.at cannot be stored"):
        describe(Wrong)
