"""`inforadar doctor`: diagnose problems and suggest fixes."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.text import Text

from inforadar.app.doctor import examine
from inforadar.cli.terminal.logs import configure_logs
from inforadar.cli.terminal.output import print_json, print_line, safe
from inforadar.config import load_settings
from inforadar.masks import masked
from inforadar.model.finding import Finding, Level
from inforadar.texts import counted

_SIGNS = {Level.OK: ("ok", "green"), Level.WARNING: ("warn", "yellow"), Level.PROBLEM: ("error", "red")}


def doctor(
    *,
    url: Annotated[str | None, Parameter(help="Also try to fetch this URL.")] = None,
    json: Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")] = False,
) -> int:
    """Diagnose problems and suggest fixes. Changes nothing; exit code 1 if there is a problem."""
    settings = load_settings()
    configure_logs(settings.log, quiet=True)
    findings = [
        replace(finding, sentence=masked(finding.sentence))
        for finding in asyncio.run(examine(settings, url=url))
    ]
    is_well = not any(finding.level is Level.PROBLEM for finding in findings)
    if json:
        print_json({"ok": is_well, "findings": [asdict(finding) for finding in findings]})
    else:
        _print(findings)
    return 0 if is_well else 1


def _print(findings: list[Finding]) -> None:
    console = Console(highlight=False)
    for finding in findings:
        word, colour = _SIGNS[finding.level]
        console.print(
            Text.assemble((f"{word:6}", colour), f"{finding.check:10}", safe(finding.sentence)),
            soft_wrap=True,
        )
        if finding.advice:
            console.print(Text(f"{'':16}→ {safe(finding.advice)}", style="dim"), soft_wrap=True)
    numbers = {level: sum(finding.level is level for finding in findings) for level in Level}
    if numbers[Level.PROBLEM]:
        print_line(
            f"{counted(numbers[Level.PROBLEM], 'problem')}, {counted(numbers[Level.WARNING], 'warning')}."
        )
    elif numbers[Level.WARNING]:
        print_line(f"No problems, {counted(numbers[Level.WARNING], 'warning')}.")
    else:
        print_line("No problems found.")
