"""`inforadar story …`: reports of one event from several sources."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from cyclopts import Parameter, validators

from inforadar.actions.story import merge as merge_two
from inforadar.actions.story import regroup as queue_again
from inforadar.actions.story import split as split_off
from inforadar.app.stories import load_shown_stories, load_story_view
from inforadar.cli.terminal.output import print_json, print_line, safe, short_time
from inforadar.cli.terminal.run import on_store
from inforadar.cli.terminal.tables import print_table
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.errors import NotFoundError
from inforadar.model.ids import ItemId, StoryId
from inforadar.store.database import Database
from inforadar.store.stories.queries import StoryFilter, find_story_item
from inforadar.texts import counted
from inforadar.urls import normalize
from inforadar.views.stories import ShownStory, StoryView, spread_text
from inforadar.views.story_json import story_document, view_document
from inforadar.views.times import parse_span

Json = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]
Story = Annotated[UUID, Parameter(help="The story's id.")]


def list_(
    *,
    min_sources: Annotated[
        int,
        Parameter(validator=validators.Number(gte=1, lte=1000), help="Only stories with this many sources."),
    ] = 2,
    topic: Annotated[str | None, Parameter(help="Only stories with an item of this topic.")] = None,
    limit: Annotated[
        int, Parameter(validator=validators.Number(gte=1, lte=1000), help="Maximum number to show.")
    ] = 20,
    json: Json = False,
) -> None:
    """List stories, newest first."""

    async def work(database: Database, _: Settings) -> tuple[ShownStory, ...]:
        wanted = StoryFilter(min_sources=min_sources, topic=topic, limit=limit)
        return await load_shown_stories(database, wanted)

    stories = on_store(work)
    if json:
        print_json([story_document(story) for story in stories])
        return
    print_table(
        ["Story", "Headline", "Sources>", "Items>", "Languages", "Scores", "Last told"],
        (
            (
                str(story.id),
                story.headline,
                len(story.sources),
                story.items,
                ", ".join(story.languages),
                spread_text(story),
                short_time(story.last_at),
            )
            for story in stories
        ),
        empty="No stories yet. Run `inforadar worker --once` to collect and group items.",
        only_wide=("Languages", "Scores"),
    )


def show(story: Story, *, json: Json = False) -> None:
    """Show one story: its sources, what they say, and why each belongs to it."""

    async def work(database: Database, _: Settings) -> StoryView:
        return await load_story_view(database, StoryId(story))

    view = on_store(work)
    if json:
        print_json(view_document(view))
        return
    head = view.story
    print_line(f"{safe(head.headline)}  ({safe(head.headline_source)})")
    print_line(
        f"{counted(len(head.sources), 'source')}, {counted(head.items, 'item')}, scores {spread_text(head)}, "
        f"{short_time(head.began_at)} to {short_time(head.last_at)}"
    )
    print_table(
        ["Source", "Time", "Title", "Copies>", "Joined because"],
        (
            (told.outlet, short_time(told.at), told.title, len(told.copies), told.because)
            for told in head.members
        ),
        empty="",
    )
    if view.facts:
        outlets = [cell.outlet for cell in view.facts[0].cells]
        print_table(
            ["Fact", "First said by", *outlets],
            (
                (
                    fact.label,
                    fact.first_said_by,
                    *(
                        f"{cell.value}{' (!)' if cell.state == 'conflict' else ''}" or "–"
                        for cell in fact.cells
                    ),
                )
                for fact in view.facts
            ),
            empty="",
        )


def split(
    items: Annotated[list[str], Parameter(help="Ids or URLs of the items to split off.")],
    *,
    json: Json = False,
) -> None:
    """Split items off their story: not the same event. This outlives regrouping."""

    async def work(database: Database, _: Settings) -> StoryId:
        ids: list[ItemId] = []
        for given in items:
            try:
                ids.append(ItemId(UUID(given)))
            except ValueError:
                found = await database.read(find_story_item, normalize(given))
                if not found:
                    raise NotFoundError(f"story split: {given} is in no story.") from None
                ids += found
        return await split_off(database, ids)

    own = on_store(work)
    if json:
        print_json({"story": str(own)})
    else:
        print_line(f"Split off into story {own}.")


def merge(kept: Story, gone: Story, *, json: Json = False) -> None:
    """Merge two stories. The address of the second leads to the first."""

    async def work(database: Database, _: Settings) -> StoryId:
        return await merge_two(database, StoryId(kept), StoryId(gone))

    found = on_store(work)
    if json:
        print_json({"story": str(found)})
    else:
        print_line(f"Merged into story {found}.")


def regroup(
    story: Annotated[UUID | None, Parameter(help="Only the items of this story.")] = None,
    *,
    since: Annotated[str, Parameter(help="How far back: 90m, 24h, 7d.")] = "72h",
    json: Json = False,
) -> None:
    """Queue items to be grouped again by the worker. What was split or merged by hand stays."""
    span = parse_span(since)

    async def work(database: Database, _: Settings) -> int:
        if story is not None:
            return await queue_again(database, story=StoryId(story))
        return await queue_again(database, since=utc_now() - span)

    number = on_store(work)
    if json:
        print_json({"queued": number})
    else:
        print_line(f"Queued {counted(number, 'item')}; a worker groups them.")
