"""`quick_init`: dataclasses that are built faster are the same in every other way."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace

import pytest

from inforadar.model.item import KnownItem, Listed, NewItem, ServedItem
from inforadar.model.quick_init import quick_init
from inforadar.stages.publish.entry import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base:
    title: str | None = None
    tags: tuple[str, ...] = ()


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class _Quick(_Base):
    url: str
    number: int = 0


def test_every_field_has_the_value_given_or_its_default() -> None:
    assert asdict(_Quick(url="u")) == {"title": None, "tags": (), "url": "u", "number": 0}
    assert asdict(_Quick(number=3, tags=("a",), url="u", title="t")) == {
        "title": "t",
        "tags": ("a",),
        "url": "u",
        "number": 3,
    }


def test_an_object_is_of_its_class_and_frozen() -> None:
    quick = _Quick(url="u")
    assert type(quick) is _Quick
    for change in (lambda: setattr(quick, "url", "other"), lambda: delattr(quick, "url")):
        with pytest.raises(FrozenInstanceError):
            change()
    assert quick.url == "u"


def test_equality_hash_replace_copies_and_pickles_are_those_of_a_dataclass() -> None:
    quick = _Quick(url="u", tags=("a",))
    assert quick == _Quick(url="u", tags=("a",)) != _Quick(url="u")
    assert hash(quick) == hash(_Quick(url="u", tags=("a",)))
    assert replace(quick, number=1) == _Quick(url="u", tags=("a",), number=1)
    for other in (copy.copy(quick), copy.deepcopy(quick), pickle.loads(pickle.dumps(quick))):
        assert type(other) is _Quick
        assert other == quick


def test_a_missing_unknown_or_positional_argument_is_refused() -> None:
    for make in (_Quick, lambda: _Quick(url="u", other=1), lambda: _Quick("u")):  # type: ignore[call-arg,misc]
        with pytest.raises(TypeError):
            make()


def test_a_default_made_for_each_object_is_refused_at_import() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Made:
        found: dict[str, str] = field(default_factory=dict)

    with pytest.raises(TypeError, match="Made has a field"):
        quick_init(Made)


@pytest.mark.parametrize("kind", [Listed, KnownItem, NewItem, ServedItem, Entry])
def test_the_classes_of_items_keep_each_value_in_its_own_field(kind: type) -> None:
    given = {one.name: object() for one in fields(kind)}
    made = kind(**given)
    assert {name: getattr(made, name) for name in given} == given
