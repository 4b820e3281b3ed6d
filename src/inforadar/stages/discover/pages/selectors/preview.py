"""Show what selectors match on a page, field by field, to the person who writes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Any

from inforadar.model.item import COUNTERS, Listed
from inforadar.stages.discover.counters import parse_count, parse_rating
from inforadar.stages.discover.pages.dom import Node, base_url, item_url, one_line_text, parse_tree
from inforadar.stages.discover.pages.selectors.definition import (
    REQUIRED,
    SELECTOR_KEYS,
    Selectors,
    selector_problem,
)
from inforadar.stages.discover.pages.selectors.guess import guess_selectors
from inforadar.stages.discover.pages.selectors.reader import (
    date_of,
    date_texts,
    find_next,
    link_of,
    read_page,
    texts_of,
)

_MAX_VALUES = 3
_MAX_VALUE_CHARS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldPreview:
    """One selector and what it matched."""

    name: str
    selector: str
    caught: int = 0
    """The number of items with a match; for `item` itself, the number of items."""
    values: tuple[str, ...] = ()
    """The first few matches as shown on the page; untrusted text from the web."""
    message: str | None = None
    """A sentence, if something is wrong or worth checking."""
    is_guess: bool = False
    """Nobody wrote the selector: it was guessed from the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """Everything that the selectors match on one page."""

    fields: tuple[FieldPreview, ...]
    items: tuple[Listed, ...] = ()
    """The items as they would be collected; those without a date would be skipped."""
    next_url: str | None = None
    warnings: tuple[str, ...] = ()
    """Problems with the link to the next page."""

    @property
    def messages(self) -> tuple[str, ...]:
        """All messages, those of the fields first."""
        return (*(field.message for field in self.fields if field.message), *self.warnings)


def preview(
    html: str,
    url: str,
    selectors: Selectors,
    now: datetime,
    timezone: tzinfo = UTC,
    *,
    missing: frozenset[str] = frozenset(),
) -> Preview:
    """Preview a page with these selectors. Invalid ones are reported, and the others are still shown.

    Those that are `missing` from a draft are guessed, so that a person sees something after the first one.
    """
    tree = parse_tree(html)
    if missing:
        guesses: dict[str, Any] = guess_selectors(tree.css(selectors.item), missing)
        selectors = replace(selectors, **guesses)
    given = {name: value for name in SELECTOR_KEYS if (value := getattr(selectors, name)) is not None}
    broken = {name: problem for name, value in given.items() if (problem := selector_problem(name, value))}
    dropped: dict[str, Any] = {name: None for name in broken if name not in REQUIRED}
    usable = replace(selectors, **dropped)
    base = base_url(tree, url)
    nodes = [] if "item" in broken else tree.css(selectors.item)
    next_url, warning = find_next(tree, base, url, usable)
    is_readable = not broken.keys() & set(REQUIRED)
    fields: list[FieldPreview] = []
    for name, selector in given.items():
        if name in broken:
            found = FieldPreview(name=name, selector=selector, message=broken[name])
        elif name == "item":
            found = _preview_items(selector, nodes)
        elif name == "next":
            found = _preview_next(selector, link_of(tree.root, selector) if tree.root else None)
        elif name == "link":
            found = _preview_links(selector, nodes, base)
        elif name == "date":
            found = _preview_dates(nodes, selectors, now, timezone)
        else:
            found = _preview_texts(name, selector, nodes)
        fields.append(replace(found, is_guess=True) if name in missing else found)
    return Preview(
        fields=tuple(fields),
        items=read_page(html, url, usable, now, timezone).items if is_readable else (),
        next_url=next_url,
        warnings=(warning,) if warning else (),
    )


def _preview_items(selector: str, nodes: list[Node]) -> FieldPreview:
    return FieldPreview(
        name="item",
        selector=selector,
        caught=len(nodes),
        values=_first_values(one_line_text(node) for node in nodes[:_MAX_VALUES]),
        message=None if nodes else f"`item` matches nothing on the page: {selector!r}.",
    )


def _preview_next(selector: str, address: str | None) -> FieldPreview:
    message = None if address else "`next` matches no link. That is fine on the last page of a listing."
    return FieldPreview(
        name="next",
        selector=selector,
        caught=int(address is not None),
        values=_first_values([address]),
        message=message,
    )


def _preview_links(selector: str, nodes: list[Node], base: str) -> FieldPreview:
    caught = [address for node in nodes if (address := link_of(node, selector))]
    usable = sum(item_url(address, base) is not None for address in caught)
    message = _missing_message("link", len(caught), len(nodes))
    if message is None and usable < len(caught):
        message = f"`link` matches addresses that cannot be fetched, in {len(caught) - usable} of {len(nodes)} items."
    return FieldPreview(
        name="link", selector=selector, caught=len(caught), values=_first_values(caught), message=message
    )


def _preview_dates(nodes: list[Node], selectors: Selectors, now: datetime, timezone: tzinfo) -> FieldPreview:
    caught = [(node, texts[0]) for node in nodes if (texts := date_texts(node, selectors.date))]
    unread = [text for node, text in caught if date_of(node, selectors, now, timezone) is None]
    message = _missing_message("date", len(caught), len(nodes))
    if unread:
        message = (
            f"`date` matches texts that cannot be read as a date, in {len(unread)} of {len(nodes)} items, "
            f"such as {unread[0][:_MAX_VALUE_CHARS]!r}. Items without a date are skipped; `date_format` may help."
        )
    values = _first_values(text for _, text in caught)
    return FieldPreview(
        name="date", selector=selectors.date, caught=len(caught), values=values, message=message
    )


def _preview_texts(name: str, selector: str, nodes: list[Node]) -> FieldPreview:
    caught = [
        ", ".join(texts) if name == "tags" else texts[0]
        for node in nodes
        if (texts := texts_of(node, selector))
    ]
    message = _missing_message(name, len(caught), len(nodes))
    if caught and name in COUNTERS:
        read = parse_rating if name == "rating" else parse_count
        if all(read(text) is None for text in caught):
            message = f"`{name}` matches no numbers, but texts such as {caught[0][:_MAX_VALUE_CHARS]!r}."
    return FieldPreview(
        name=name, selector=selector, caught=len(caught), values=_first_values(caught), message=message
    )


def _missing_message(name: str, caught: int, items: int) -> str | None:
    """A message if a field has no match in any item, or a required field has none in some."""
    if not items or caught == items or (caught and name not in REQUIRED):
        return None
    where = f"any of the {items} items" if not caught else f"{items - caught} of {items} items"
    return f"`{name}` matches nothing in {where}."


def _first_values(values: Iterable[str | None]) -> tuple[str, ...]:
    shown = [
        value if len(value) <= _MAX_VALUE_CHARS else value[: _MAX_VALUE_CHARS - 1] + "…"
        for value in values
        if value
    ]
    return tuple(shown[:_MAX_VALUES])
