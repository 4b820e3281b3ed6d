"""Warnings about entries that a fetch left out: lost, or left out on purpose."""

from __future__ import annotations

from collections.abc import Iterable

from inforadar.model.feed import FeedWarning

_HARMLESS = ("it was repaired before reading.", "; it was repaired.", "the same as another entry.")
"""How the warnings of parsers end that cost no entry."""


def parser_warnings(warnings: Iterable[str]) -> tuple[FeedWarning, ...]:
    """The warnings about a document: entries that could not be read are lost."""
    return tuple(FeedWarning(text=text, is_loss=not text.endswith(_HARMLESS)) for text in warnings)


def on_other_hosts(count: int) -> tuple[FeedWarning, ...]:
    return _on_purpose(count, "on other hosts, which `feed edit --any-host` allows")


def over_the_limit(count: int, limit: int) -> tuple[FeedWarning, ...]:
    return _on_purpose(count, f"older than the newest {limit:,}, which is the limit `FETCHER_MAX_ARTICLES`")


def below_the_cutoff(count: int) -> tuple[FeedWarning, ...]:
    return _on_purpose(count, "older than the cutoff")


def without_a_date(count: int) -> tuple[FeedWarning, ...]:
    return tuple(
        FeedWarning(text=one.text, is_loss=True) for one in _on_purpose(count, "no date can be read")
    )


def _on_purpose(count: int, reason: str) -> tuple[FeedWarning, ...]:
    if not count:
        return ()
    entries = "entry" if count == 1 else "entries"
    return (FeedWarning(text=f"{count:,} {entries} left out: {reason}."),)
