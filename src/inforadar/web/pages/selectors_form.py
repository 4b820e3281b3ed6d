"""The form of the selectors editor: its fields, and converting its values to selectors. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from inforadar.translations import term
from inforadar.web.http.forms import Form

if TYPE_CHECKING:
    from inforadar.actions.preview import PagePreview


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    name: str
    label: str
    example: str
    is_required: bool = False
    value: str = ""


_FIELDS = (
    Field(name="item", label=term("selector", "Each item"), example="article.post", is_required=True),
    Field(name="link", label=term("selector", "Its link"), example="h2 a", is_required=True),
    Field(name="title", label=term("selector", "Its title"), example="h2 a", is_required=True),
    Field(name="date", label=term("selector", "Its date"), example="time", is_required=True),
    Field(name="next", label=term("selector", "Link to the next page"), example="a[rel=next]"),
    Field(
        name="page_url",
        label=term("selector", "Or the address of any page"),
        example="https://news.example/latest?page={page}",
    ),
    Field(name="first_page", label=term("selector", "Number of the first page"), example="1"),
    Field(name="date_format", label=term("selector", "How dates are written"), example="%d.%m.%Y"),
    Field(name="author", label=term("selector", "Author"), example=".author"),
    Field(name="snippet", label=term("selector", "Summary"), example=".lead"),
    Field(name="tags", label=term("selector", "Tags"), example=".tags a"),
    Field(name="views", label=term("selector", "Views"), example=".views"),
    Field(name="comments", label=term("selector", "Comments"), example=".comments"),
    Field(name="rating", label=term("selector", "Rating"), example=".rating"),
    Field(name="bookmarks", label=term("selector", "Bookmarks"), example=".bookmarks"),
)


def shown_fields(form: Form, preview: PagePreview | None = None) -> list[Field]:
    """Return the fields with their submitted values; those left empty have the preview's guesses."""
    guesses = guessed(preview)
    return [replace(one, value=form.text(one.name) or guesses.get(one.name, "")) for one in _FIELDS]


def stored_fields(selectors: Mapping[str, Any] | None) -> list[Field]:
    """Return the fields with the selectors of a feed."""
    stored = selectors or {}
    return [replace(one, value=str(stored.get(one.name, "") or "")) for one in _FIELDS]


def guessed(preview: PagePreview | None) -> Mapping[str, str]:
    """{name: selector} of the selectors that a preview guessed, if they match something."""
    fields = preview.selected.fields if preview and preview.selected else ()
    return {field.name: field.selector for field in fields if field.is_guess and field.caught}


def given_selectors(form: Form) -> Mapping[str, Any]:
    """Return the selectors as feeds store them. `parse_selectors` validates them."""
    given: dict[str, Any] = {one.name: value for one in _FIELDS if (value := form.text(one.name))}
    number = given.get("first_page", "")
    if number.isascii() and number.isdigit() and len(number) < 10:
        given["first_page"] = int(number)
    return given
