"""`inforadar item history` and `inforadar item diff`: what an outlet changed after publication."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from inforadar.app.revisions import choose_diff, load_history
from inforadar.cli.item.show import MAX_WIDTH_COLUMNS, Json, Reference
from inforadar.cli.terminal.output import print_json, print_line, safe, short_time
from inforadar.cli.terminal.run import on_store
from inforadar.config import Settings
from inforadar.errors import UsageError
from inforadar.model.revision import StoredRevision
from inforadar.stages.revise.difference import Op, ParagraphState
from inforadar.store.database import Database
from inforadar.store.items.find import find_item
from inforadar.store.items.one_row import with_all_feeds
from inforadar.texts import counted
from inforadar.views.revision_markdown import diff_markdown
from inforadar.views.revisions import (
    HistoryEntry,
    ItemHistory,
    ShownDiff,
    changed_text,
    history_document,
    is_minor,
    kinds_text,
    noted_text,
    revision_document,
    score_change,
    version_document,
)

_STYLES = {Op.REMOVED: "strike red", Op.ADDED: "underline green", Op.SAME: ""}
Version = Annotated[int | None, Parameter(help="The number of a version, as `item history` shows it.")]


def history(item: Reference, *, json: Json = False) -> None:
    """Show how an item changed after it was published: its listing and its text, newest first."""
    found = _load(item)
    if json:
        print_json(history_document(found, with_text=True))
        return
    console = _console()
    console.print(Text(safe(found.title), style="bold"))
    console.print(Text(f"{safe(found.outlet)} · {safe(found.link)}", style="dim"), soft_wrap=True)
    if found.changes:
        versions = counted(len(found.versions), "version")
        console.print(Text(f"{changed_text(found.changes)}, {versions} kept."))
    else:
        console.print(Text("No change of the text was seen."))
    console.print(Text(safe(found.watch), style="dim"))
    for entry in found.entries:
        console.print()
        _print_entry(console, entry, found)


def _print_entry(console: Console, entry: HistoryEntry, found: ItemHistory) -> None:
    if entry.field is not None:
        line = Text(f"{short_time(entry.at)}  listing, {entry.field.field}: ")
        if entry.field.old is not None:
            line.append(safe(entry.field.old), style="strike dim")
            line.append(" → ")
        line.append(safe(entry.field.new))
        console.print(line)
    elif entry.revision is not None:
        _print_revision(console, entry.revision, found)


def _print_revision(console: Console, stored: StoredRevision, found: ItemHistory) -> None:
    numbers = f"{stored.old_version} → {stored.new_version}"
    style = "dim" if is_minor(stored) else "bold"
    console.print(
        Text(
            f"{short_time(stored.at)}  text, version {numbers}: {kinds_text(stored)}, {noted_text(stored)}",
            style,
        )
    )
    if is_minor(stored):
        return
    for name, (old, new) in stored.revision.fields.items():
        line = Text(f"  {name}: ")
        line.append(safe(old), style="strike dim")
        line.append(f" → {safe(new)}")
        console.print(line)
    for passage in stored.revision.passages[:3]:
        if passage.old:
            console.print(Text(f"  − {safe(passage.old)}", style="red"))
        if passage.new:
            console.print(Text(f"  + {safe(passage.new)}", style="green"))
    if score := score_change(stored):
        console.print(Text(f"  score of the wording: {score}"))
    if stored.revision.note:
        console.print(Text(f"  the outlet's note: {safe(stored.revision.note)}"))
    for telling in found.tellings.get(str(stored.id), ()):
        says = "still says" if telling.says_old else "says"
        console.print(Text(f"  {safe(telling.outlet)} {says}: {safe(telling.sentence)}", style="dim"))


def diff(
    item: Reference,
    old: Version = None,
    new: Version = None,
    *,
    markdown: Annotated[
        bool,
        Parameter(
            negative="", help="Print Markdown to paste, with times, hashes and what other outlets say."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Show the words that differ between two versions of an article; by default those of the last change."""
    if markdown and json:
        raise UsageError("--markdown and --json exclude each other.")
    found = _load(item)
    shown, stored = choose_diff(found, old, new)
    if json:
        versions = (version_document(version, with_text=True) for version in (shown.old, shown.new))
        revision = revision_document(stored, with_text=True) if stored else None
        print_json({"versions": list(versions), "revision": revision})
    elif markdown:
        print_line(safe_lines(diff_markdown(found, shown, stored)))
    else:
        _print_diff(_console(), shown, stored)


def safe_lines(text: str) -> str:
    """Several lines without control characters."""
    return "\n".join(safe(line) for line in text.rstrip().split("\n"))


def _print_diff(console: Console, shown: ShownDiff, stored: StoredRevision | None) -> None:
    console.print(Rule(f"Version {shown.old.number} → {shown.new.number}", style="dim"))
    for version in (shown.old, shown.new):
        console.print(
            Text(f"{version.number}: seen {short_time(version.seen_at)}, SHA-256 {version.hash}", "dim")
        )
    if stored is not None:
        told = f"Changed: {kinds_text(stored)}, {noted_text(stored)}."
        console.print(Text(told + (f" Score: {score}." if (score := score_change(stored)) else "")))
    if shown.title:
        console.print()
        console.print(_runs(shown.title, "bold"))
    for paragraph in shown.paragraphs:
        console.print()
        if paragraph.folded:
            console.print(Text(f"… {counted(paragraph.folded, 'unchanged paragraph')} …", style="dim"))
        else:
            console.print(_runs(paragraph.runs, "dim" if paragraph.state is ParagraphState.SAME else ""))


def _runs(runs: tuple[tuple[Op, str], ...], style: str) -> Text:
    line = Text(style=style)
    for op, text in runs:
        line.append(
            safe(text) + (" " if text[-1:].isspace() and not safe(text).endswith(" ") else ""), _STYLES[op]
        )
    return line


def _console() -> Console:
    console = Console(highlight=False)
    console.width = min(console.width, MAX_WIDTH_COLUMNS)
    return console


def _load(reference: str) -> ItemHistory:
    async def work(database: Database, _: Settings) -> ItemHistory:
        (found,) = await database.read(with_all_feeds, [await database.read(find_item, reference)])
        return await load_history(database, found)

    return on_store(work)
