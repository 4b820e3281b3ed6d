"""The fact table as people read it: the outlets that say the most as columns, the rest counted. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inforadar.views.story_facts import Fact, State

MAX_COLUMNS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class FactTable:
    outlets: tuple[str, ...]
    """The columns, in the order in which the outlets told the story."""
    left_out: tuple[str, ...]
    """Outlets without a column: they say less than the others."""
    rows: tuple[Fact, ...]


def shown_table(facts: Sequence[Fact], columns: int = MAX_COLUMNS) -> FactTable:
    """Choose the columns; facts that only outlets without a column say are left out."""
    if not facts:
        return FactTable(outlets=(), left_out=(), rows=())
    outlets = [cell.outlet for cell in facts[0].cells]
    said = [
        sum(fact.cells[place].state is not State.NOT_SAID for fact in facts) for place in range(len(outlets))
    ]
    best = sorted(range(len(outlets)), key=lambda place: (-said[place], place))[:columns]
    chosen = sorted(best)
    rows = (replace(fact, cells=tuple(fact.cells[place] for place in chosen)) for fact in facts)
    return FactTable(
        outlets=tuple(outlets[place] for place in chosen),
        left_out=tuple(outlet for place, outlet in enumerate(outlets) if place not in chosen),
        rows=tuple(fact for fact in rows if fact.said_by),
    )
