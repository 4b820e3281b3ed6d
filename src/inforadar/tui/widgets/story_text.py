"""The parts of a story in the terminal: list entry, head, fact table, tellings and timeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from textual.content import Content

from inforadar.texts import counted
from inforadar.tui.text import safe
from inforadar.tui.theme import SCORE_COLOURS
from inforadar.views.stories import ShownStory, StoryView, TimelineEntry, Told, reach_text, spread_text
from inforadar.views.story_facts import Cell, Fact, Kind, State
from inforadar.views.story_table import shown_table
from inforadar.views.times import shown_time

FACT_CHARS = 24
OUTLET_CHARS = 14
PLOT_CHARS = 20
KINDS = ((Kind.NUMBER, "Numbers"), (Kind.NAME, "Names"), (Kind.QUOTATION, "Quotations"))


def list_entry(story: ShownStory, now: datetime) -> Content:
    """A story in the list: its headline, and who tells it how."""
    facts = (
        reach_text(story),
        spread_text(story),
        shown_time(story.last_at, now),
        ", ".join(story.sources[:5]),
    )
    return Content.assemble(
        (f"{safe(story.headline[:500])}\n", "bold"), (f"{safe(' · '.join(facts)[:500])}\n", "$muted")
    )


def story_head(story: ShownStory, colours: Mapping[str, str], now: datetime) -> RenderableType:
    """Headline, reach, times, summary, and one line of scores for each telling."""
    reworded = ", reworded" if story.headline_is_neutral else ""
    facts = (
        reach_text(story),
        f"since {shown_time(story.began_at, now)}",
        f"last told {shown_time(story.last_at, now)}",
        f"headline: {story.headline_source}{reworded}",
    )
    parts: list[RenderableType] = [
        Text(safe(story.headline[:1000]), style="bold"),
        Text(safe(" · ".join(facts)), style=colours["muted"]),
    ]
    if story.summary:
        parts.append(Padding(Text(safe(story.summary)), (1, 0, 0, 0)))
    if scored := [told for told in story.told if told.score is not None]:
        parts.append(Padding(_dot_plot(scored, colours), (1, 0, 0, 0)))
    return Group(*parts)


def _dot_plot(scored: Sequence[Told], colours: Mapping[str, str]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, max_width=20, overflow="ellipsis")
    for told in sorted(scored, key=lambda told: told.score or 0.0)[:40]:
        score = told.score or 0.0
        colour = colours[SCORE_COLOURS[told.label]]
        place = round(score * (PLOT_CHARS - 1))
        line = Text("─" * place, style=colours["muted"])
        line.append("●", style=colour)
        line.append("─" * (PLOT_CHARS - 1 - place), style=colours["muted"])
        table.add_row(Text(safe(told.outlet)), line, Text(f"{score:.2f} {told.label}", style=colour))
    return table


def fact_part(
    view: StoryView, colours: Mapping[str, str], *, width: int, with_sentences: bool
) -> RenderableType:
    """The fact table, as wide as the screen; with sentences, each outlet's words below the fact."""
    shown = shown_table(view.facts, columns=max(2, (width - FACT_CHARS) // (OUTLET_CHARS + 2)))
    if not shown.rows:
        return Text("")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=colours["muted"], show_edge=False)
    table.add_column("Who says what", max_width=FACT_CHARS, overflow="fold", header_style="bold")
    for outlet in shown.outlets:
        table.add_column(safe(outlet), max_width=OUTLET_CHARS, overflow="ellipsis", no_wrap=True)
    parts: list[RenderableType] = []
    for kind, name in KINDS:
        rows = [fact for fact in shown.rows if fact.kind is kind]
        if rows:
            table.add_row(Text(name, style=colours["muted"]))
        for fact in rows:
            style = colours["error"] if fact.is_conflict else ""
            label = Text(safe(fact.label)[:120], style=style)
            table.add_row(label, *(_cell(fact, cell, colours) for cell in fact.cells))
            if with_sentences:
                parts += _sentences(fact, colours)
    legend = "● said  · not said  ! in conflict  ¹ said it first"
    more = f"  not shown: {counted(len(shown.left_out), 'outlet')}" if shown.left_out else ""
    return Group(table, Text(legend + more, style=colours["muted"]), *parts)


def _cell(fact: Fact, cell: Cell, colours: Mapping[str, str]) -> Text:
    if cell.state is State.NOT_SAID:
        return Text("·", style=colours["muted"])
    sign = safe(cell.value) if fact.kind is Kind.NUMBER else "●"
    first = "¹" if cell.outlet == fact.first_said_by else ""
    if cell.state is State.CONFLICT:
        return Text(f"{sign}!{first}", style=colours["error"])
    return Text(sign + first)


def _sentences(fact: Fact, colours: Mapping[str, str]) -> list[RenderableType]:
    found: list[RenderableType] = [Padding(Text(safe(fact.label)[:120], style="bold"), (1, 0, 0, 0))]
    for cell in fact.cells:
        if cell.sentence:
            line = Text(f"{safe(cell.outlet)}: ", style=colours["muted"])
            line.append(safe(cell.sentence))
            found.append(Padding(line, (0, 0, 0, 2)))
    return found


def telling_part(told: Told, colours: Mapping[str, str], now: datetime, *, is_current: bool) -> Text:
    """One telling: outlet, time, title, neutral title, score and why it is here."""
    mark = "▌" if is_current else " "
    accent = colours["accent"] if is_current else colours["muted"]
    text = Text(f"{mark} ", style=accent)
    text.append(safe(told.outlet), style="bold")
    text.append(f"  {shown_time(told.at, now)}", style=colours["muted"])
    if told.score is not None:
        text.append(f"  {told.score:.2f} {told.label}", style=colours[SCORE_COLOURS[told.label]])
    text.append(f"\n{mark} ", style=accent)
    text.append(safe(told.title[:500]))
    if told.neutral_title:
        text.append(f"\n{mark} neutral  {safe(told.neutral_title[:500])}", style=colours["muted"])
    if told.copies:
        copies = ", ".join(f"{copy.outlet}: {copy.title}" for copy in told.copies[:10])
        text.append(f"\n{mark} copied by {safe(copies[:500])}", style=colours["muted"])
    if told.because:
        text.append(f"\n{mark} joined because: {safe(told.because[:300])}", style=colours["muted"])
    return text


def timeline_part(
    timeline: Sequence[TimelineEntry], colours: Mapping[str, str], now: datetime
) -> RenderableType:
    """The story's reports and changes by time; a former title is struck through."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style=colours["muted"])
    for entry in timeline:
        line = Text(f"{safe(entry.outlet)}  " if entry.outlet else "", style="bold")
        if entry.old:
            line.append(safe(entry.old[:300]), style="strike")
            line.append(" → ")
        line.append(safe((entry.new or entry.text)[:300]), style="not bold")
        table.add_row(shown_time(entry.at, now), line)
    return Group(Text("Timeline", style="bold"), table)
