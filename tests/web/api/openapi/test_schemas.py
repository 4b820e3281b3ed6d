"""The schema of an item is that of its metadata and of the JSON documents."""

from __future__ import annotations

from inforadar.model.ids import FeedId, ItemId, UrlHash, new_uuid
from inforadar.model.item import Item
from inforadar.views.json import item_document
from inforadar.web.api.openapi import DOCUMENT
from inforadar.web.api.openapi.schemas import SCHEMAS, metadata_schemas
from tests.store.making import NOW
from tests.support.trial_metadata import TRIAL_FIELDS


def test_an_item_has_the_fields_that_its_schema_requires_in_the_same_order() -> None:
    item = Item(
        id=ItemId(new_uuid()), feed_id=FeedId(new_uuid()), url="https://example.com/1", hash=UrlHash("a"),
        content="", published_at=NOW, created_at=NOW, updated_at=NOW, analyzer_result={},
    )  # fmt: skip
    assert list(item_document(item)) == SCHEMAS["Item"]["required"] == list(SCHEMAS["Item"]["properties"])


def test_every_operation_has_a_name_of_its_own() -> None:
    names = [
        operation.get("operationId")
        for methods in DOCUMENT["paths"].values()
        for method, operation in methods.items()
        if method in {"get", "post", "put", "patch", "delete"}
    ]
    assert None not in names
    assert len(set(names)) == len(names)


def test_a_field_has_the_schema_of_its_type() -> None:
    found = metadata_schemas(TRIAL_FIELDS)
    assert found["title"] == {"type": ["string", "null"]}
    assert found["views"] == {"type": ["number", "null"]}
    assert found["tags"] == {"type": "array", "items": {"type": "string"}}
    assert found["attachments"] == {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["url", "size"],
            "properties": {"url": {"type": ["string", "null"]}, "size": {"type": ["number", "null"]}},
        },
    }
