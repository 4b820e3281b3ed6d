"""Metadata with two fields more than an item has: what is derived from the fields must carry any of them."""

from __future__ import annotations

from dataclasses import dataclass

from inforadar.model.item import Metadata
from inforadar.model.metadata_fields import describe


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    url: str
    size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialMetadata(Metadata):
    entry_id: str | None = None
    attachments: tuple[Attachment, ...] = ()


TRIAL_FIELDS = describe(TrialMetadata)
EMPTY = TrialMetadata()
FULL = TrialMetadata(
    title="标题",
    tags=("наука", "🚀"),
    views=0,
    rating=4.5,
    entry_id='tag:example.com,2026:<1> & "2"',
    attachments=(
        Attachment(url="https://example.com/a.mp3", size=0),
        Attachment(url="https://example.com/b?c=1&d"),
    ),
)
