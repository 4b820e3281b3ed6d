"""Key bindings: their names in the settings, and their keys in words, for help, hints and documentation. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual.binding import Binding
from textual.keys import _character_to_key

if TYPE_CHECKING:
    from textual.screen import Screen

Keymap = Mapping[str, str]
"""{id of a binding: its keys, separated by commas}, as Textual wants it."""

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
    "delete": "Del",
    "tab": "Tab",
    "shift+tab": "Shift-Tab",
    "colon": ":",
    "slash": "/",
    "question_mark": "?",
    "asterisk": "*",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "exclamation_mark": "!",
    "vertical_line": "|",
}
_STEPS = {"1": "next", "-1": "previous"}


def action_name(action: str) -> str:
    """Return the name of an action in the settings: `app.fetch` is `fetch`, `mark('read')` `mark-read`."""
    name, _, rest = action.removeprefix("app.").partition("(")
    words = re.findall(r"[\w-]+", rest)
    return "-".join([name.replace("_", "-"), *(_STEPS.get(word, word) for word in words)])


def with_ids(screen: str, bindings: list[Any]) -> list[Any]:
    """Give each binding its id: `articles.mark-read`."""
    return [
        replace(binding, id=f"{screen}.{action_name(binding.action)}")
        if isinstance(binding, Binding) and binding.id is None
        else binding
        for binding in bindings
    ]


def keys_of(binding: Binding, keymap: Keymap) -> list[str]:
    """Return the keys of a binding in Textual's names, as the settings say or by default."""
    given = keymap.get(binding.id or "")
    return [long_name(key.strip()) for key in (given or binding.key).split(",")]


def long_name(key: str) -> str:
    """Return Textual's name of a key: `?` is `question_mark`."""
    return _character_to_key(key) if len(key) == 1 else key


def described_keys(screen: type[Screen[Any]], keymap: Keymap = {}) -> Iterator[tuple[str, str]]:  # noqa: B006
    """Yield (`j ↓`, description) for each binding, in order of definition."""
    for binding in screen.BINDINGS:
        if isinstance(binding, Binding) and binding.description:
            yield " ".join(map(shown_key, keys_of(binding, keymap))), binding.description


def key_for(screen: type[Screen[Any]], action: str, keymap: Keymap) -> str | None:
    """Return the first key of an action in words; None if no binding of the screen runs it."""
    for binding in screen.BINDINGS:
        if isinstance(binding, Binding) and binding.action == action:
            return shown_key(keys_of(binding, keymap)[0])
    return None


def shown_key(key: str) -> str:
    if key.startswith("ctrl+"):
        return f"Ctrl-{key.removeprefix('ctrl+').upper()}"
    return _SIGNS.get(key, key)
