"""Opening a page in the reader's browser."""

from __future__ import annotations

import subprocess
import sys
import webbrowser
from contextlib import AbstractContextManager
from typing import Protocol


class Suspend(Protocol):
    """Suspends the app while a block runs."""

    def __call__(self) -> AbstractContextManager[None]: ...


def open_in_browser(url: str, suspend: Suspend) -> str:
    """Open the URL and return a sentence with the result. A text browser gets the terminal until it exits."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return f"There is no browser here. The address is {url}"
    if type(browser) is webbrowser.GenericBrowser:
        with suspend():
            return "Back from the browser." if browser.open(url) else f"The browser did not open {url}"
    start_process(url)
    return "Opened in the browser."


def start_process(url: str) -> None:
    """Open the URL in a separate process, because some browsers write to the terminal they were started from."""
    subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "webbrowser", "-t", url],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
