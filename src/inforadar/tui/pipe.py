"""Piping articles to a command of the reader's own, such as `less`, `wl-copy` or `mail`.

The article goes to standard input only, never into the command line: a title cannot run anything.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager

from inforadar.model.article import Article
from inforadar.model.item import Item
from inforadar.tui.text import safe, safe_text
from inforadar.views.item import byline
from inforadar.views.reading import TextOrigin, reading_of
from inforadar.views.sanitize import listing_text
from inforadar.views.times import full_time


def article_text(item: Item, article: Article | None) -> str:
    """The article as plain text: title, URL, source, author and date, then the text or the snippet."""
    origin = reading_of(item, article).origin
    if origin is TextOrigin.PAGE and article and article.extracted:
        text = article.extracted.markdown or article.extracted.clean_text
    else:
        text = listing_text(item.content, item.address) if origin is TextOrigin.FEED else item.snippet or ""
    facts = [item.all_sources, byline(item, article), full_time(item.published_at)]
    head = [item.title or item.url, item.address, " · ".join(fact for fact in facts if fact)]
    return "\n".join(map(safe, head)) + f"\n\n{safe_text(text)}\n"


def run_piped(
    command: str, text: str, environment: dict[str, str], suspend: Callable[[], AbstractContextManager[None]]
) -> str:
    """Run a shell command with the text as its input, while the app gives it the terminal; return a sentence."""
    with suspend():
        try:
            ended = subprocess.run(  # noqa: S602 - the reader's own command, as typed
                command,
                shell=True,
                input=text.encode(),
                env={**os.environ, **environment},
                check=False,
            )
        except OSError as fault:
            return f"The command could not be started: {fault.strerror}."
        if sys.__stdin__ is not None and sys.__stdin__.isatty() and sys.__stdout__ is not None:
            sys.__stdout__.write("\nPress Enter to go back to Info Radar. ")
            sys.__stdout__.flush()
            sys.__stdin__.readline()
    said = safe(command[:100])
    return (
        f"Piped to {said}." if ended.returncode == 0 else f"{said} ended with exit code {ended.returncode}."
    )
