"""What changed, at the end of the reading view."""

from __future__ import annotations

import io
from datetime import UTC, datetime

from rich.console import Console

from inforadar.model.ids import Uid, new_uuid
from inforadar.model.revision import ChangedPassage, ChangeKind, Revision, StoredRevision
from inforadar.tui.widgets.article_text import changes_part, head
from inforadar.views.item import read_item
from tests.support.faces.terminal import Terminal

COLOURS = {"warning": "yellow", "muted": "grey50", "foreground": "white", "accent": "blue"}
AT = datetime(2026, 5, 12, 11, 30, tzinfo=UTC)


def revised() -> StoredRevision:
    passage = ChangedPassage(old="40 people", new="43 people", kinds=(ChangeKind.NUMBER,))
    return StoredRevision(
        id=new_uuid(),
        uid=Uid("a"),
        url="https://a.example/1",
        at=AT,
        old_version=1,
        new_version=2,
        revision=Revision(kinds=frozenset({ChangeKind.NUMBER}), passages=(passage,)),
    )


def shown(*kinds: ChangeKind, old: str, new: str) -> str:
    passage = ChangedPassage(old=old, new=new, kinds=kinds)
    revision = Revision(kinds=frozenset(kinds), passages=(passage,), score_before=0.62, score_after=0.3)
    stored = StoredRevision(
        id=new_uuid(),
        uid=Uid("a"),
        url="https://a.example/1",
        at=AT,
        old_version=1,
        new_version=2,
        revision=revision,
    )
    console = Console(file=io.StringIO(), width=200)
    console.print(changes_part([(AT, {"title": ["Old title", "New title"]})], COLOURS, [stored]))
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def test_listing_and_text_are_one_history_and_hostile_text_is_harmless() -> None:
    text = shown(
        ChangeKind.NUMBER, old="It left 40 people injured\x1b[31m.", new="It left 43 people injured."
    )
    assert "Changed 1×" in text
    assert "Old title → New title" in text
    assert "number (silent) · score 0.62 slanted → 0.30 neutral" in text
    assert "40 43 people" in text
    assert "\x1b[31m" not in text


def test_a_typo_is_folded() -> None:
    text = shown(ChangeKind.TYPO, old="A passanger.", new="A passenger.")
    assert "typo (silent)" in text
    assert "passanger" not in text
    assert "Changed" not in text


async def test_the_head_says_how_often_the_text_changed_and_c_leads_there(
    terminal: Terminal,
) -> None:
    await terminal.press("j", "enter", "c")
    assert "Nothing has changed so far." in terminal.text
    await terminal.press("p", "c")
    assert "What changed" in terminal.text
    row = terminal.app.articles.table.current
    assert row
    console = Console(file=io.StringIO(), width=200)
    console.print(head(read_item(row.item), None, COLOURS, wide=False, revisions=[revised()]))
    assert isinstance(console.file, io.StringIO)
    assert "Changed 1×, c shows it" in console.file.getvalue()
