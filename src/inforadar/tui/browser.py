"""Opening a page in the reader's browser."""

from __future__ import annotations

import subprocess
import sys
import webbrowser
from contextlib import AbstractContextManager
from typing import Protocol


class Suspend(Protocol):
    """Gives the terminal away while a block runs."""

    def __call__(self) -> AbstractContextManager[None]: ...


def open_in_browser(url: str, suspend: Suspend) -> str:
    """A sentence: what happened. A browser that runs in the terminal gets it, and gives it back at its end."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return f"There is no browser here. The address is {url}"
    if type(browser) is webbrowser.GenericBrowser:
        with suspend():
            return "Back from the browser." if browser.open(url) else f"The browser did not open {url}"
    # In a process of its own, because some browsers write to the terminal that they were started from.
    subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "webbrowser", "-t", url],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return "Opened in the browser."
