"""The fields of a dataclass like `Metadata`, described so that every other layer can be derived from them.

    the annotation      the column's type, the JSON value, the OpenAPI schema
    the traits          what the diff compares, and how feeds and detail views show the field

A field is a text, a number, or a tuple of texts or of small frozen dataclasses; a tuple is stored as JSON. All of
this is read once, at import: collecting handles tens of thousands of items, and looks nothing up for each of them.
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
    """A fetch compares it with the stored value and updates that."""
    is_counter: bool = False
    """A number that feeds and detail views show among the counters."""
    has_place: bool = False
    """Each detail view has a place of its own for it; any other field is listed by its name."""
    has_element: bool = False
    """Each feed format has an element of its own for it; any other field goes into our extension."""


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
        """Its name as people read it."""
        return self.name.replace("_", " ").capitalize()

    @property
    def json_expression(self) -> str:
        """The JSON form of this field of `it`, for `tuple_maker` and `dict_maker` with `json_value` by its name."""
        value = f"it.{self.name}"
        return f"json_value({value})" if self.parts else f"[*{value}]" if self.is_list else value

    def from_json(self, value: Any) -> Any:
        """The value from its JSON form."""
        if not self.is_list:
            return value
        return msgspec.convert(value or (), tuple[self.type, ...]) if self.parts else tuple(value or ())  # type: ignore[name-defined]


def json_value(value: Any) -> Any:
    """A field's value as JSON has it: tuples as lists, dataclasses as objects."""
    if not isinstance(value, tuple):
        return value
    return [part if type(part) is str else msgspec.to_builtins(part) for part in value]


def tuple_maker(expressions: Iterable[str], **names: Any) -> Callable[[Any], tuple[Any, ...]]:
    """A function that makes a tuple of these expressions over its argument, `it`, such as `it.title` or `it[3]`.

    Written out once at import, as `dataclasses` writes `__init__`: it runs for every item of every fetch, and takes
    half the time of `attrgetter` and a loop.
    """
    makes: Callable[[Any], tuple[Any, ...]] = _compiled(
        f"({''.join([f'{one}, ' for one in expressions])})", names
    )
    return makes


def dict_maker(expressions: Mapping[str, str], **names: Any) -> Callable[[Any], dict[str, Any]]:
    """The same for a dict."""
    pairs = ", ".join([f"{key!r}: {one}" for key, one in expressions.items()])
    makes: Callable[[Any], dict[str, Any]] = _compiled(f"{{{pairs}}}", names)
    return makes


def _compiled(expression: str, names: dict[str, Any]) -> Any:
    return eval(f"lambda it: {expression}", names)  # noqa: S307 - of field names, nothing from outside


def describe(kind: type) -> tuple[MetadataField, ...]:
    """The fields of a dataclass, in its order; a type that cannot be stored is a `TypeError` at import."""
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
