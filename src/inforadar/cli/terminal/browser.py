"""The browser of a desktop: whether there is one, and starting it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from inforadar.tui.browser import start_process

_REMOTE = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")


def is_desktop(
    environment: Mapping[str, str] = os.environ, *, platform: str = sys.platform, terminal: bool | None = None
) -> bool:
    """Whether a person sits at this machine's own screen: a terminal that is not remote, and something for windows."""
    is_terminal = sys.stdout.isatty() if terminal is None else terminal
    if not is_terminal or any(environment.get(name) for name in _REMOTE):
        return False
    return platform in {"darwin", "win32"} or any(environment.get(name) for name in _SCREENS)


def start_browser(url: str) -> None:
    """Open the URL without waiting; a browser that cannot be started changes nothing."""
    start_process(url)
