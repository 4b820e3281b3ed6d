"""The base of every section of the settings: conversion, limits, and what a field takes, in words.

Sections are msgspec structs: they cost every start of the program a tenth of what a validation library would.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import NoneType
from typing import Annotated, Any, ClassVar, Literal, Self, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

Seconds = Annotated[float, Meta(ge=0, le=366 * 86400)]
PositiveSeconds = Annotated[float, Meta(gt=0, le=366 * 86400)]


class Secret:
    """A text that is never printed by accident."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def get_secret_value(self) -> str:
        """Return the text itself."""
        return self._value

    def __repr__(self) -> str:
        return "Secret('***')"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)


class WrongValueError(ValueError):
    """A value that a section does not take."""

    def __init__(self, text: str, field: str = "") -> None:
        super().__init__(text)
        self.field = field
        """The field's name; empty if several fields do not go together."""


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One section of `inforadar.toml`."""

    env_prefix: ClassVar[str] = ""
    """The environment's name of a field is this prefix and the field's name, in capitals."""
    env_names: ClassVar[Mapping[str, str]] = {}
    """Fields whose environment name differs from that."""

    @classmethod
    def env_name(cls, field: str) -> str:
        """Return the name of a field in the environment."""
        return cls.env_names.get(field) or f"{cls.env_prefix}{field}".upper()

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Self:
        """Convert the values, which may all be text; `WrongValueError` for one that does not fit."""
        given = {name: _prepared(cls.__annotations__[name], value) for name, value in values.items()}
        try:
            return msgspec.convert(given, cls, strict=False, dec_hook=_convert_secret)
        except msgspec.ValidationError as fault:
            text, _, path = str(fault).partition(" - at `$.")
            raise WrongValueError(text, path.partition("`")[0].partition("[")[0]) from None

    def replaced(self, values: Mapping[str, Any]) -> Self:
        """Return a copy with other values, validated like all others."""
        return self.read({name: getattr(self, name) for name in self.__struct_fields__} | dict(values))


_DEFAULT = "default"
"""Instead of a number: leave it to whatever the number is for."""
_SWITCHES = {"yes": True, "on": True, "y": True, "t": True, "no": False, "off": False, "n": False, "f": False}


def _prepared(kind: str, value: Any) -> Any:
    """Bring a text into the form that msgspec converts: trimmed, a list split at its commas."""
    if not isinstance(value, str):
        return value
    value = value.strip()
    if kind.startswith("tuple["):
        return [part.strip() for part in value.split(",") if part.strip()]
    if kind == "bool":
        return _SWITCHES.get(value.lower(), value)
    if _takes_default(kind) and value.lower() == _DEFAULT:
        return None
    return value


def _takes_default(kind: str) -> bool:
    """Tell whether a field takes a word instead of its number: an empty variable counts as not set."""
    return kind.startswith("Annotated[float") and kind.endswith("| None")


def _convert_secret(kind: type, value: Any) -> Any:
    if kind is Secret and isinstance(value, str):
        return Secret(value)
    raise ValueError("must be text")


def field_types(section: type[Section]) -> dict[str, Any]:
    """Return the types of a section's fields by name, with their limits."""
    hints = get_type_hints(section, include_extras=True)
    return {name: hints[name] for name in section.__struct_fields__}


def field_texts(section: type[Section]) -> dict[str, str]:
    """Return the docstrings that follow a section's fields in its source, by the field's name."""
    # Only the documentation needs them.
    import ast  # noqa: PLC0415
    import inspect  # noqa: PLC0415
    from itertools import pairwise  # noqa: PLC0415

    (body,) = ast.parse(inspect.getsource(section)).body
    assert isinstance(body, ast.ClassDef)
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in pairwise(body.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def default_of(section: type[Section], field: str) -> Any:
    """Return a field's default."""
    return section.__struct_defaults__[section.__struct_fields__.index(field)]


def is_secret(section: type[Section], field: str) -> bool:
    """Tell whether a field holds a secret, which is never shown."""
    return "Secret" in section.__annotations__[field]


def allowed(section: type[Section], field: str) -> str:
    """Describe in words which values a field takes."""
    kind, limits = _unwrapped(field_types(section)[field])
    if get_origin(kind) is Literal:
        return " or ".join(f"`{word}`" for word in get_args(kind))
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return " or ".join(f"`{word.value}`" for word in kind)
    noun = _NOUNS.get((get_origin(kind) or kind).__name__, "text")
    if _takes_default(section.__annotations__[field]) and default_of(section, field) is not None:
        limits.append(f"or `{_DEFAULT}`")
    return f"{noun}, {', '.join(limits)}" if limits else noun


_NOUNS = {
    "bool": "true or false",
    "tuple": "a list",
    "date": "a date like 2026-01-31",
    "float": "a number",
    "int": "a whole number",
}
_LIMITS = {"ge": "at least", "gt": "more than", "le": "at most"}


def _unwrapped(kind: Any) -> tuple[Any, list[str]]:
    """Return the type without `None` and `Annotated`, and its limits in words."""
    limits: list[str] = []
    while True:
        if get_origin(kind) is Annotated:
            kind, *marks = get_args(kind)
            limits += [
                f"{word} {getattr(mark, name):.12g}"
                for mark in marks
                for name, word in _LIMITS.items()
                if getattr(mark, name, None) is not None
            ]
        elif NoneType in get_args(kind):
            kind = next(part for part in get_args(kind) if part is not NoneType)
        else:
            return kind, limits
