"""The fields of a dataclass like `Metadata`, described so that every other layer can be derived from them.

    the annotation      the column's type, the JSON value, the OpenAPI schema
    the traits          what the diff compares, and how feeds and detail views show the field

A field is a text, a number, or a tuple of texts or of small frozen dataclasses; a tuple is stored as JSON. All of this
is computed once, at import: collecting handles tens of thousands of items, and must not look anything up for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

_TRAITS = "traits"
_SCALARS = (str, int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """How the program treats a field. The defaults are right for a field that needs no special treatment."""

    is_diffed: bool = True
    """A fetch compares the field with the stored value and updates it."""
    is_counter: bool = False
    """A number that feeds and detail views show among the counters."""
    has_place: bool = False
    """Each detail view has its own place for the field; any other field is listed by its name."""
    has_element: bool = False
    """Each feed format has its own element for the field; any other field goes into our extension."""


def traits(**given: bool) -> dict[str, Traits]:
    """The `metadata` argument of `dataclasses.field`."""
    return {_TRAITS: Traits(**given)}


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataField:
    """One field: its name, its type and its traits."""

    name: str
    type: type
    """`str`, `int` or `float`; of a tuple, the type of its parts, which can also be a dataclass."""
    is_list: bool = False
    """The value is a tuple of such parts, empty if there are none. Any other value is `None` if it is absent."""
    parts: tuple[MetadataField, ...] = ()
    """The fields of the dataclass that a tuple holds."""
    traits: Traits = Traits()

    @property
    def label(self) -> str:
        """The field's name for people."""
        return self.name.replace("_", " ").capitalize()

    @property
    def json_expression(self) -> str:
        """An expression for the JSON form of this field of `it`, for `tuple_maker` and `dict_maker`.

        They need `json_value` among their names.
        """
        value = f"it.{self.name}"
        return f"json_value({value})" if self.parts else f"[*{value}]" if self.is_list else value

    def from_json(self, value: Any) -> Any:
        """Convert the JSON form back into the field's value."""
        if not self.is_list:
            return value
        if not value:
            return ()
        return msgspec.convert(value, tuple[self.type, ...]) if self.parts else tuple(value)  # type: ignore[name-defined]


def json_value(value: Any) -> Any:
    """The JSON form of a field's value: tuples become lists, dataclasses objects."""
    if not isinstance(value, tuple):
        return value
    return [part if type(part) is str else msgspec.to_builtins(part) for part in value]


def tuple_maker(expressions: Iterable[str], **names: Any) -> Callable[[Any], tuple[Any, ...]]:
    """Make a function that returns a tuple of these expressions over its argument `it`: `it.title`, `it[3]`.

    Compiled once at import, like the `__init__` of `dataclasses`: it runs for every item of every fetch, and takes half
    the time of `attrgetter` and a loop.
    """
    makes: Callable[[Any], tuple[Any, ...]] = _compiled(
        f"({''.join([f'{one}, ' for one in expressions])})", names
    )
    return makes


def dict_maker(expressions: Mapping[str, str], **names: Any) -> Callable[[Any], dict[str, Any]]:
    """Make a function that returns a dict of these expressions over its argument `it`."""
    pairs = ", ".join([f"{key!r}: {one}" for key, one in expressions.items()])
    makes: Callable[[Any], dict[str, Any]] = _compiled(f"{{{pairs}}}", names)
    return makes


def _compiled(expression: str, names: dict[str, Any]) -> Any:
    return eval(f"lambda it: {expression}", names)  # noqa: S307 - of field names, nothing from outside


def describe(kind: type) -> tuple[MetadataField, ...]:
    """Describe the fields of a dataclass, in order; a type that cannot be stored raises `TypeError` at import."""
    hints = get_type_hints(kind)
    return tuple(_describe(kind, one, hints[one.name]) for one in fields(kind))


def _describe(kind: type, one: Field[Any], hint: Any) -> MetadataField:
    is_list = get_origin(hint) is tuple
    types = [part for part in get_args(hint) or (hint,) if part not in (NoneType, Ellipsis)]
    is_struct = is_list and len(types) == 1 and is_dataclass(types[0])
    if len(types) != 1 or not (is_struct or types[0] in _SCALARS):
        raise TypeError(f"{kind.__name__}.{one.name} cannot be stored: {hint}")
    return MetadataField(
        name=one.name,
        type=types[0],
        is_list=is_list,
        parts=describe(types[0]) if is_struct else (),
        traits=one.metadata.get(_TRAITS, Traits()),
    )
