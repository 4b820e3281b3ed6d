"""The progress of a fetch on the command line: a bar below a live log, or plain lines without a terminal."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn
from rich.text import Text

from inforadar.cli.terminal.output import print_line, safe
from inforadar.cli.terminal.tables import print_table
from inforadar.masks import masked
from inforadar.model.ids import short_id
from inforadar.model.progress import Progress as Event
from inforadar.model.progress import ProgressKind
from inforadar.model.run import Report
from inforadar.pipeline.runs.fetch_run import FetchFilter
from inforadar.texts import counted
from inforadar.views.times import local

_LABEL_COLUMNS = 20
_STYLES = {"+": "green", "~": "yellow", "!": "red"}


class FetchDisplay:
    """Shows the progress of one run."""

    def __init__(self, wanted: FetchFilter, *, is_terminal: bool) -> None:
        self._title = _title(wanted)
        self._bar: Progress | None = None
        self._began = 0.0
        if is_terminal:
            columns = (SpinnerColumn("line"), BarColumn(), TextColumn("{task.description}"))
            self._bar = Progress(*columns, console=Console(highlight=False), transient=True)
            self._task = self._bar.add_task("Counting…", total=None)

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.console.print(Text(self._title, style="bold"))
            self._bar.start()
        else:
            print_line(self._title)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def show(self, event: Event) -> None:
        match event.kind:
            case ProgressKind.LINE:
                self._line(event)
            case ProgressKind.FOUND:
                self._began = time.monotonic()
                if not self._bar:
                    print_line(f"Found {counted(event.found, 'item')} on {counted(event.pages, 'page')}.")
                self._progress(event)
            case ProgressKind.COUNTING:
                self._describe(
                    f"Counting… {counted(event.pages, 'page')}, {counted(event.found, 'item')} found"
                )
            case ProgressKind.PROCESSED:
                self._progress(event)
            case ProgressKind.FINISHED:
                pass

    def _line(self, event: Event) -> None:
        at = local(event.at).strftime("%H:%M:%S")
        text = safe(event.text)
        if self._bar is None:
            print(masked(f"{at}  {_label(event.label)}  {text}"), flush=True)
            return
        line = Text.assemble((f"{at}  ", "dim"), (f"{_label(event.label)}  ", "cyan"))
        line.append(text, style=_STYLES.get(text[:1], ""))
        self._bar.console.print(line, soft_wrap=True)

    def _progress(self, event: Event) -> None:
        if self._bar is None:
            return
        self._bar.update(self._task, total=max(event.found, 1), completed=event.done)
        spent = max(time.monotonic() - self._began, 0.001)
        rate = event.done / spent
        left = (event.found - event.done) / rate if rate else None
        timing = f"   {rate:.0f}/s   {_duration(left)} left" if left is not None else ""
        self._describe(f"{event.done} of {counted(event.found, 'item')}{timing}")

    def _describe(self, text: str) -> None:
        if self._bar:
            self._bar.update(self._task, description=text)


def _title(wanted: FetchFilter) -> str:
    """Return the heading, with the filters as in the list of articles."""
    named = [
        f"{word}: {', '.join(map(safe, names))}"
        for word, names in (("source", wanted.sources), ("topic", wanted.topics))
        if names
    ]
    return "Fetch" + (f"    {' · '.join(named)}" if named else "")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds + 0.5), 60)
    return f"{minutes}:{rest:02d}"


def print_report(report: Report) -> None:
    """Print the numbers of each feed, the errors, and what was left out."""
    print_table(
        ["Feed", "Items>", "Added>", "Updated>", "URL"],
        ((one.feed, one.items, one.added, one.updated, url) for url, one in report.details.by_feed.items()),
        empty="No items were processed.",
    )
    for url, error in report.details.errors.items():
        print_line(f"! {safe(url)}: {safe(error)}")
    for url, warnings in report.details.warnings.items():
        print_line(f"! {safe(url)}: {safe(' '.join(warnings))}")
    print_line(
        f"{'Interrupted: ' if report.interrupted else ''}{report.added_count} added, "
        f"{report.updated_count} updated, {counted(report.errors_count, 'error')}. "
        f"Details: `inforadar run show {short_id(report.run_id)}`."
    )


def _label(name: str) -> str:
    """The feed's name, cut to its column."""
    shown = safe(name)
    short = shown if len(shown) <= _LABEL_COLUMNS else shown[: _LABEL_COLUMNS - 1] + "…"
    return f"{short:{_LABEL_COLUMNS}}"
