"""Diff: null never wins, 0 is a value, the second time changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.model.ids import ItemId, new_uuid
from inforadar.model.item import DIFFED_FIELDS, Diff, KnownItem, Listed
from inforadar.stages.diff import diff
from inforadar.urls import url_hash

NOW = datetime(2026, 3, 14, tzinfo=UTC)
NAMES = tuple(field.name for field in DIFFED_FIELDS)
EMPTY: dict[str, object] = {field.name: () if field.is_list else None for field in DIFFED_FIELDS}


def known(url: str, **fields: object) -> list[KnownItem]:
    return [stored(url, {**EMPTY, **fields})]


def stored(url: str, fields: Mapping[str, object], id_: ItemId | None = None) -> KnownItem:
    return KnownItem(
        id=id_ or ItemId(new_uuid()), hash=url_hash(url), url=url, published_at=NOW, fields=fields
    )  # type: ignore[arg-type]


def apply(found: Diff, before: Iterable[KnownItem]) -> list[KnownItem]:
    """What the store makes of it."""
    after = {item.hash: item for item in before}
    for new in found.added:
        fields = {name: getattr(new.listed, name) for name in NAMES}
        fields["rating"] = None if fields["rating"] != fields["rating"] else fields["rating"]
        after[new.hash] = stored(new.url, fields)
    for change in found.changed:
        item = after[url_hash(change.url)]
        fields = {**item.fields, **{name: new for name, (_, new) in change.fields.items()}}
        after[item.hash] = stored(change.url, fields, item.id)
    return list(after.values())


URL = "https://example.com/1"


def test_an_unknown_url_is_added_as_listed() -> None:
    entry = Listed(url=URL, title="Заголовок")
    found = diff([entry], known("https://example.com/other"))
    assert [new.listed for new in found.added] == [entry]
    assert found.added[0].hash == url_hash(URL)
    assert found.changed == ()


def test_a_known_url_with_the_same_fields_is_no_difference() -> None:
    assert not diff(
        [Listed(url=URL, title="T", tags=("a",), views=0)], known(URL, title="T", tags=("a",), views=0)
    )


@pytest.mark.parametrize("field", NAMES)
def test_what_is_absent_leaves_what_is_stored(field: str) -> None:
    stored = {"tags": ("a",), "views": 5, "comments": 5, "rating": 0.5, "bookmarks": 5}.get(field, "stored")
    assert not diff([Listed(url=URL)], known(URL, **{field: stored}))


@pytest.mark.parametrize(("field", "empty"), [("title", ""), ("author", ""), ("snippet", ""), ("tags", ())])
def test_what_is_empty_leaves_what_is_stored(field: str, empty: object) -> None:
    assert not diff([Listed(url=URL, **{field: empty})], known(URL, **{field: "stored"}))  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["views", "comments", "rating", "bookmarks"])
def test_zero_is_a_value(field: str) -> None:
    (change,) = diff([Listed(url=URL, **{field: 0})], known(URL, **{field: 7})).changed  # type: ignore[arg-type]
    assert change.fields == {field: (7, 0)}
    (change,) = diff([Listed(url=URL, **{field: 0})], known(URL)).changed  # type: ignore[arg-type]
    assert change.fields == {field: (None, 0)}
    assert not diff([Listed(url=URL)], known(URL, **{field: 0}))


def test_only_what_differs_is_told_with_old_and_new() -> None:
    before = known(URL, title="Old", views=1, comments=4, tags=("a",))
    (change,) = diff([Listed(url=URL, title="New", views=2, comments=4, tags=("a", "b"))], before).changed
    assert change.url == URL
    assert change.fields == {"title": ("Old", "New"), "views": (1, 2), "tags": (("a",), ("a", "b"))}


def test_first_tags_come_from_nothing() -> None:
    (change,) = diff([Listed(url=URL, tags=("a",))], known(URL)).changed
    assert change.fields == {"tags": (None, ("a",))}


def test_of_a_url_listed_twice_the_first_counts() -> None:
    twice = [Listed(url=URL, title="first"), Listed(url=URL, title="second")]
    assert [new.listed.title for new in diff(twice, {}).added] == ["first"]
    (change,) = diff(twice, known(URL, title="stored")).changed
    assert change.fields == {"title": ("stored", "first")}


def test_of_a_known_url_listed_twice_the_first_counts_even_if_it_changes_nothing() -> None:
    twice = [Listed(url=URL, title="stored"), Listed(url=URL, title="second")]
    assert not diff(twice, known(URL, title="stored"))


def test_a_rating_that_is_no_number_is_absent() -> None:
    assert not diff([Listed(url=URL, rating=float("nan"))], known(URL, rating=1.0))


def test_nothing_listed_is_no_difference_and_nothing_is_deleted() -> None:
    assert not diff([], known(URL))


texts = st.none() | st.sampled_from(["", "a", "б", "中", "🚀"])
counters = st.none() | st.integers(0, 2)
listings = st.lists(
    st.builds(
        Listed,
        url=st.sampled_from([f"https://example.com/{n}" for n in range(4)]),
        title=texts,
        author=texts,
        snippet=texts,
        tags=st.sampled_from([(), ("a",), ("a", "b"), ("b", "a")]),
        views=counters,
        comments=counters,
        rating=st.none() | st.sampled_from([0.0, 0.5, float("nan")]),
        bookmarks=counters,
    ),
    max_size=8,
)


@given(listings, listings)
def test_applied_twice_a_listing_changes_nothing(first: list[Listed], second: list[Listed]) -> None:
    before = apply(diff(first, []), [])
    after = apply(diff(second, before), before)
    assert not diff(second, after)


@given(listings, listings)
def test_what_was_known_never_becomes_unknown(first: list[Listed], second: list[Listed]) -> None:
    before = apply(diff(first, []), [])
    after = apply(diff(second, before), before)
    known_after = {item.hash: item for item in after}
    for item in before:
        for name, value in item.fields.items():
            if value is not None and value not in ("", ()):
                assert known_after[item.hash].fields[name] not in (None, "", ())


@given(listings, listings)
def test_every_change_is_told_once_and_from_what_was_stored(
    first: list[Listed], second: list[Listed]
) -> None:
    before = apply(diff(first, []), [])
    found = diff(second, before)
    assert len({change.id for change in found.changed}) == len(found.changed)
    assert len({new.hash for new in found.added}) == len(found.added)
    stored_before = {item.hash: item for item in before}
    for change in found.changed:
        for name, (old, new) in change.fields.items():
            assert (stored_before[url_hash(change.url)].fields[name] or None) == (old or None)
            assert new != old
