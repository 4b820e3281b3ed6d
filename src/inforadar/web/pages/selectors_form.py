"""The form of the selectors editor: its fields, and converting its values to selectors. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from inforadar.web.http.forms import Form


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    name: str
    label: str
    example: str
    is_required: bool = False
    value: str = ""


_FIELDS = (
    Field(name="item", label="Each item", example="article.post", is_required=True),
    Field(name="link", label="Its link", example="h2 a", is_required=True),
    Field(name="title", label="Its title", example="h2 a", is_required=True),
    Field(name="date", label="Its date", example="time", is_required=True),
    Field(name="next", label="Link to the next page", example="a[rel=next]"),
    Field(
        name="page_url", label="Or the address of any page", example="https://news.example/latest?page={page}"
    ),
    Field(name="first_page", label="Number of the first page", example="1"),
    Field(name="date_format", label="How dates are written", example="%d.%m.%Y"),
    Field(name="author", label="Author", example=".author"),
    Field(name="snippet", label="Summary", example=".lead"),
    Field(name="tags", label="Tags", example=".tags a"),
    Field(name="views", label="Views", example=".views"),
    Field(name="comments", label="Comments", example=".comments"),
    Field(name="rating", label="Rating", example=".rating"),
    Field(name="bookmarks", label="Bookmarks", example=".bookmarks"),
)


def shown_fields(form: Form) -> list[Field]:
    """Return the fields with their submitted values."""
    return [replace(one, value=form.text(one.name) or "") for one in _FIELDS]


def given_selectors(form: Form) -> Mapping[str, Any]:
    """Return the selectors as feeds store them. `parse_selectors` validates them."""
    given: dict[str, Any] = {one.name: value for one in _FIELDS if (value := form.text(one.name))}
    number = given.get("first_page", "")
    if number.isascii() and number.isdigit() and len(number) < 10:
        given["first_page"] = int(number)
    return given
