"""The keys of the settings file, `[keys.SCREEN]`: checked against the screens and turned into Textual's keymap."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from textual.binding import Binding
from textual.screen import Screen

from inforadar.errors import ConfigError
from inforadar.tui.commands.keys import Keymap, keys_of, shown_key

EVERYWHERE = "all"
"""The section for keys that are the same on every screen: `[keys.all]`."""
_KEY = re.compile(r"[^\s,]|[a-z0-9_]+(\+[a-z0-9_]+)*")


def parse_keymap(given: Mapping[str, Any], screens: Mapping[str, type[Screen[Any]]]) -> Keymap:
    """Turn `{screen: {action: key or keys}}` into a keymap; raise `ConfigError` for what cannot be."""
    keymap: dict[str, str] = {}
    for name in sorted(given, key=lambda name: name != EVERYWHERE):
        where = f"inforadar.toml: [keys.{name}]"
        actions = given[name]
        if name != EVERYWHERE and name not in screens:
            raise ConfigError(f"{where} is not a screen. Use one of: {', '.join([EVERYWHERE, *screens])}.")
        if not isinstance(actions, Mapping):
            raise ConfigError(f"{where} must be a table of actions and their keys.")
        for action, keys in actions.items():
            found = _bindings(name, action, screens)
            if not found:
                raise ConfigError(f"{where} has no action {action!r}.{_hint(name, action, screens)}")
            keymap |= dict.fromkeys(found, _parse_keys(f"{where} {action}", keys))
    _check_clashes(keymap, screens)
    return keymap


def _bindings(name: str, action: str, screens: Mapping[str, type[Screen[Any]]]) -> list[str]:
    """Return the ids of the bindings with this action, on one screen or on all."""
    ids = [f"{screen}.{action}" for screen in (screens if name == EVERYWHERE else (name,))]
    known = {binding.id for screen in screens.values() for binding in _all(screen)}
    return [one for one in ids if one in known]


def _all(screen: type[Screen[Any]]) -> list[Binding]:
    return [binding for binding in screen.BINDINGS if isinstance(binding, Binding)]


def _hint(name: str, action: str, screens: Mapping[str, type[Screen[Any]]]) -> str:
    among = screens.values() if name == EVERYWHERE else (screens[name],)
    known = sorted({str(binding.id).partition(".")[2] for screen in among for binding in _all(screen)})
    close = difflib.get_close_matches(action, known, n=1)
    return f" Did you mean {close[0]!r}?" if close else f" It has: {', '.join(known)}."


def _parse_keys(where: str, keys: Any) -> str:
    listed = [keys] if isinstance(keys, str) else keys
    if not isinstance(listed, list) or not listed or not all(isinstance(key, str) for key in listed):
        raise ConfigError(f'{where} must be a key or a list of keys, such as "x" or ["x", "ctrl+x"].')
    for key in listed:
        if not _KEY.fullmatch(key):
            raise ConfigError(
                f'{where}: {key!r} is not a key. Keys look like "x", "X", "ctrl+x" or "pagedown".'
            )
    return ",".join(listed)


def _check_clashes(keymap: Keymap, screens: Mapping[str, type[Screen[Any]]]) -> None:
    for name, screen in screens.items():
        taken: dict[str, str] = {}
        for binding in _all(screen):
            action = str(binding.id).partition(".")[2]
            for key in keys_of(binding, keymap):
                other = taken.setdefault(key, action)
                if other != action:
                    raise ConfigError(
                        f"inforadar.toml: [keys.{name}] gives {shown_key(key)} to both {other} and {action}. "
                        f"Give one of them another key."
                    )
