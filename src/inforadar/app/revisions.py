"""Load the history of an item as every face shows it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from inforadar.errors import NotFoundError, UsageError
from inforadar.model.ids import ItemId
from inforadar.model.item import Item, shares_its_page
from inforadar.model.revision import StoredRevision
from inforadar.store.database import Database
from inforadar.store.items.lookup import load_items
from inforadar.store.items.queries import load_item_changes
from inforadar.store.revisions.queries import load_revision, load_revisions, load_versions, load_watch
from inforadar.store.stories.queries import StoryItem, load_story_ids, load_story_items
from inforadar.urls import uid
from inforadar.views.change_messages import change_document
from inforadar.views.item import field_changes, read_item
from inforadar.views.reading import plain_text
from inforadar.views.revisions import (
    ItemHistory,
    MemberText,
    OtherTelling,
    ShownDiff,
    find_tellings,
    is_minor,
    make_entries,
    show_diff,
    watch_sentence,
)

MAX_TOLD_REVISIONS = 10
"""For so many of the newest revisions it is looked up what other outlets say."""


async def load_history(database: Database, item: Item) -> ItemHistory:
    """Load the versions, the revisions and the listing's changes of an item."""
    key = uid(item.url)
    fields = field_changes(await database.read(load_item_changes, item.id))
    if shares_its_page(item.url):
        versions, revisions, watch = [], [], None
    else:
        versions = await database.read(load_versions, key)
        revisions = await database.read(load_revisions, key)
        watch = await database.read(load_watch, key)
    return ItemHistory(
        title=read_item(item).title,
        url=item.url,
        link=item.address,
        outlet=item.all_sources,
        entries=make_entries(fields, revisions),
        versions=tuple(versions),
        revisions=tuple(revisions),
        watch=watch_sentence(
            watch.state if watch else None,
            watch.note if watch else "",
            watch.looked_at if watch else None,
            watch.due_at if watch else None,
        ),
        tellings=await _load_tellings(database, item, revisions),
    )


async def _load_tellings(
    database: Database, item: Item, revisions: list[StoredRevision]
) -> dict[str, tuple[OtherTelling, ...]]:
    told = [one for one in revisions if one.revision.passages and not is_minor(one)][-MAX_TOLD_REVISIONS:]
    if not told:
        return {}
    story = (await database.read(load_story_ids, [item.id])).get(ItemId(item.id))
    if story is None:
        return {}
    members = [
        MemberText(item_id=one.item_id, outlet=one.source, url=one.url, text=_text_of(one))
        for one in (await database.read(load_story_items, [story]))[story]
        if one.url != item.url and one.source != item.source
    ]
    return {str(one.id): find_tellings(one.revision.passages, members) for one in told}


def _text_of(member: StoryItem) -> str:
    return member.text if member.has_article else plain_text(member.text or member.snippet)


async def describe_revision(database: Database, item_id: ItemId, revision_id: UUID) -> dict[str, Any] | None:
    """A revision as messages tell it; None if it was withdrawn, or its item is not shown any more."""
    stored = await database.read(load_revision, revision_id)
    item = (await database.read(load_items, [item_id])).get(item_id)
    if stored is None or item is None:
        return None
    versions = {one.number: one for one in await database.read(load_versions, stored.uid)}
    tellings = (await _load_tellings(database, item, [stored])).get(str(stored.id), ())
    return change_document(
        stored, versions.get(stored.old_version), versions.get(stored.new_version), tellings
    )


def choose_diff(
    history: ItemHistory, old: int | None = None, new: int | None = None
) -> tuple[ShownDiff, StoredRevision | None]:
    """The diff of two versions; by default that of the last change that is more than a typo.

    Raises a `NotFoundError` if the article never changed or has no such version.
    """
    versions = {version.number: version for version in history.versions}
    if not versions:
        raise NotFoundError(f"No change of {history.url} was seen. {history.watch}")
    if (old is None) != (new is None):
        raise UsageError("Give two versions to compare, or none.")
    if old is None or new is None:
        last = next((one for one in reversed(history.revisions) if not is_minor(one)), None)
        last = last or (history.revisions[-1] if history.revisions else None)
        numbers = sorted(versions)
        old, new = (last.old_version, last.new_version) if last else (numbers[0], numbers[-1])
    for number in (old, new):
        if number not in versions:
            known = ", ".join(map(str, sorted(versions)))
            raise NotFoundError(f"There is no version {number} of {history.url}. Versions: {known}.")
    stored = next(
        (one for one in history.revisions if (one.old_version, one.new_version) == (old, new)), None
    )
    return show_diff(versions[old], versions[new]), stored
