"""Notifications of rules with the channel `screen`, by the terminal's own means (OSC 9 and OSC 777)."""

from __future__ import annotations

from collections.abc import Sequence

from inforadar.model.rule import EventKind
from inforadar.store.rules.event_log import LoggedEvent, load_events_after, load_last_number
from inforadar.tui.session import Session
from inforadar.tui.text import safe

POLL_S = 5.0
MAX_SHOWN = 3
"""Notifications shown at once; more of them are counted in one."""


def notification_codes(title: str, body: str) -> str:
    """The control sequences that ask a terminal for a notification; one that does not know them ignores them.

    Both texts come from the web: `safe` removes what could end the sequence, and a semicolon would split it.
    """
    first, second = (safe(text).replace(";", ",")[:200] for text in (title, body))
    return f"\x1b]777;notify;{first};{second}\x07\x1b]9;{first}: {second}\x07"


def describe(matches: Sequence[LoggedEvent]) -> list[tuple[str, str]]:
    """Titles and bodies of the notifications for these matches."""
    shown = [(match.payload["rule"], match.payload["title"]) for match in matches[:MAX_SHOWN]]
    if len(matches) > MAX_SHOWN:
        shown.append(("Info Radar", f"… and {len(matches) - MAX_SHOWN} more"))
    return shown


class MatchWatch:
    """Finds new matches of the person at the terminal, from the moment it is made."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._seen: int | None = None

    async def look(self) -> list[LoggedEvent]:
        database = self._session.database
        if self._seen is None:
            self._seen = await database.read(load_last_number)
            return []
        person_id = await self._session.person_id()
        kinds = {EventKind.MATCH}
        found, self._seen = await database.read(
            load_events_after, self._seen, kinds=kinds, person_id=person_id
        )
        return found
