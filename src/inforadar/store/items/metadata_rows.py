"""Metadata to and from the columns of `items`, derived once from the fields of `Metadata`."""

from __future__ import annotations

from collections.abc import Sequence

from inforadar.model.item import DIFFED_FIELDS, METADATA_FIELDS
from inforadar.model.metadata_fields import MetadataField, dict_maker, json_value, tuple_maker
from inforadar.store.types import encode_json


class MetadataRows:
    """Converts the values of some fields, in the order of `names`. Only fields stored as JSON need any work."""

    def __init__(self, fields: Sequence[MetadataField]) -> None:
        self.names = tuple(field.name for field in fields)
        self.to_row = tuple_maker(
            [
                f"encode({field.json_expression}) if it.{field.name} else None"
                if field.is_list
                else f"it.{field.name}"
                for field in fields
            ],
            encode=encode_json,
            json_value=json_value,
        )
        """Returns an item's values as `insert_rows` takes them."""
        self.from_row = dict_maker(
            {
                field.name: f"read_{field.name}(it[{place}])" if field.is_list else f"it[{place}]"
                for place, field in enumerate(fields)
            },
            **{f"read_{field.name}": field.from_json for field in fields},
        )
        """Returns a row's fields by name."""


METADATA_ROWS = MetadataRows(METADATA_FIELDS)
DIFFED_ROWS = MetadataRows(DIFFED_FIELDS)
