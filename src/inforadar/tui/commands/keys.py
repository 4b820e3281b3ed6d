"""Human-readable key bindings, for the help of each screen and the documentation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from textual.binding import Binding

if TYPE_CHECKING:
    from textual.screen import Screen

_SIGNS = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "enter": "Enter",
    "escape": "Esc",
    "space": "Space",
    "home": "Home",
    "end": "End",
    "backspace": "Backspace",
    "tab": "Tab",
    "colon": ":",
    "slash": "/",
    "question_mark": "?",
    "asterisk": "*",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "exclamation_mark": "!",
}


def described_keys(screen: type[Screen[Any]]) -> Iterator[tuple[str, str]]:
    """Yield (`j ↓`, description) for each binding, in order of definition."""
    for binding in screen.BINDINGS:
        if isinstance(binding, Binding) and binding.description:
            yield " ".join(_shown(key.strip()) for key in binding.key.split(",")), binding.description


def _shown(key: str) -> str:
    if key.startswith("ctrl+"):
        return f"Ctrl-{key.removeprefix('ctrl+').upper()}"
    return _SIGNS.get(key, key)
