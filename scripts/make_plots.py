"""Makes the tables and plots of docs/benchmarks.md from the raw results in docs/evidence/benchmarks.

    python scripts/make_plots.py [--from bench/results]

With `--from`, the newest result of each kind is copied to docs/evidence/benchmarks first. A benchmark without JSON
output is kept as printed: `python -m bench walk > docs/evidence/benchmarks/walk.txt`. A section without a result says
how to get one.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from svg_plots import number_text, render_bars, render_lines

DOCS = Path(__file__).parent.parent / "docs"
FOLDER, PAGE = DOCS / "evidence" / "benchmarks", DOCS / "benchmarks.md"
_STAMP = re.compile(r"-\d{8}T\d{6}$")

Result = dict[str, Any]
Named = list[tuple[str, Result]]
Section = tuple[list[str], dict[str, str]]
"""Lines of the page, and plots by file name."""


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "|" + "|".join(["---", *["--:"] * (len(head) - 1)]) + "|"]
    for row in rows:
        cells = (number_text(cell) if isinstance(cell, float) else str(cell) for cell in row)
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def picture(name: str, words: str) -> list[str]:
    return [f"![{words}](evidence/benchmarks/{name})", ""]


STEPS = {"a": "first fetch", "b": "nothing changed", "c": "a tenth changed"}
FARM_STEPS = STEPS | {"d": "nothing changed, with a delay"}


def farm(results: Named) -> Section:
    lines, plots = [], {}
    for name, result in results:
        given = result["arguments"]
        lines += [
            f"{given['feeds']:,} feeds of {given['entries']} entries on {given['hosts']} hosts, {given['database']}:",
            "",
        ]
        rows = [row for row in result["best"] if "wall_s" in row]
        lines += table(
            ["step", "wall s", "CPU s", "database CPU s", "CPU ms a feed", "peak MB"],
            [
                (
                    FARM_STEPS.get(row["step"], row["step"]),
                    float(row["wall_s"]),
                    float(row.get("cpu_s", 0.0)),
                    float(row["database_cpu_s"]) if given["database"] == "postgresql" else "in it",
                    _cpu_ms_a_feed(row, given),
                    row.get("peak_mb", "–"),
                )
                for row in rows
            ],
        )
        bars = [
            (FARM_STEPS.get(row["step"], row["step"]), _cpu_ms_a_feed(row, given), index)
            for index, row in enumerate(rows)
        ]
        plots[f"{name}.svg"] = render_bars(f"CPU for a feed, {given['database']}", "milliseconds", bars)
        lines += picture(f"{name}.svg", "CPU for a feed by step")
    return lines, plots


def _cpu_ms_a_feed(row: Result, given: Result) -> float:
    """Of the program and its database."""
    cpu_s = row.get("cpu_s", 0.0) + row.get("database_cpu_s", 0.0)
    return float(1000.0 * cpu_s / row.get("feeds", given["feeds"]))


def peers(results: Named) -> Section:
    lines, plots = [], {}
    for name, result in results:
        rows = [row for row in result["rows"] if "wall_s" in row]
        given_up = {(row["peer"], row["step"]): row for row in result["rows"] if "gave_up_s" in row}
        best: dict[tuple[str, str], Result] = {}
        for row in rows:
            key = (row["peer"], row["step"])
            if key not in best or row["wall_s"] < best[key]["wall_s"]:
                best[key] = row
        names = list(dict.fromkeys(row["peer"] for row in result["rows"]))
        feeds = name.removeprefix("peers-")
        lines += [f"{feeds} feeds, each program with the same farm, seconds of wall clock / CPU:", ""]
        lines += table(
            ["program", *STEPS.values(), "peak MB", "stored", "requests a feed", "unchanged ones sent again"],
            [
                (
                    peer,
                    *(_seconds(best.get((peer, step)), given_up.get((peer, step))) for step in STEPS),
                    max((row["peak_mb"] for row in rows if row["peer"] == peer), default="–"),
                    *_of(best.get((peer, "a")), "stored", "requests_a_feed"),
                    *_of(best.get((peer, "b")), "unchanged_sent_again"),
                )
                for peer in names
            ],
        )
        for step, words in STEPS.items():
            bars = [
                (peer, float(best[peer, step]["cpu_s"]), 0 if "radar" in peer.lower() else 4)
                for peer in names
                if (peer, step) in best
            ]
            bars.sort(key=lambda bar: bar[1])
            plots[f"{name}-{step}.svg"] = render_bars(
                f"{words}: CPU of {feeds} feeds", "seconds, less is better", bars
            )
            lines += picture(f"{name}-{step}.svg", f"CPU by program, {words}")
    return lines, plots


def _seconds(row: Result | None, given_up: Result | None) -> str:
    if row:
        return f"{number_text(row['wall_s'])} / {number_text(row['cpu_s'])}"
    return f"over {number_text(given_up['gave_up_s'])}" if given_up else "–"


def _of(row: Result | None, *names: str) -> tuple[object, ...]:
    return tuple(row[name] if row else "–" for name in names)


def scaleout(results: Named) -> Section:
    lines, plots = [], {}
    for name, result in results:
        rows = result["rows"]
        lines += table(
            [
                "part",
                "workers",
                "delay s",
                "feeds a second",
                "seconds",
                "requests",
                "asked twice",
                "least gap s",
                "too early",
                "leases taken over",
                "items",
            ],
            [
                (
                    row["part"],
                    row["workers"],
                    float(row["delay_s"]),
                    row["feeds_a_second"],
                    float(row["seconds"]),
                    f"{row['requests']:,}",
                    row["feeds_asked_twice"],
                    float(row["least_gap_s"]) if row["delay_s"] else "–",
                    row["spacing_violations"] if row["delay_s"] else "–",
                    row.get("leases_run_out", "–"),
                    f"{row['items_stored']:,} of {row['items_expected']:,}",
                )
                for row in rows
            ],
        )
        bars = [
            (f"{row['workers']} worker" + "s" * (row["workers"] > 1), float(row["feeds_a_second"]), 0)
            for row in rows
            if row["part"] == "speed"
        ]
        if bars:
            plots[f"{name}.svg"] = render_bars(
                "First fetch over several hosts", "feeds a second, more is better", bars
            )
            lines += picture(f"{name}.svg", "Feeds a second by workers")
    return lines, plots


def million(results: Named) -> Section:
    lines: list[str] = []
    claims: dict[str, list[tuple[float, float]]] = {}
    pages: dict[str, list[tuple[float, float]]] = {}
    for _, result in results:
        for row in result["rows"]:
            for claim in row["claims"]:
                first = ", first round" if claim["round"] == "first" else ""
                line = claims.setdefault(f"{row['database']}, {claim['batch']}{first}", [])
                line.append((row["feeds"], claim["p95_ms"]))
            for page in row["pages"]:
                if page["page"] in {"feeds page", "/metrics"}:
                    line = pages.setdefault(f"{row['database']}, {page['page']}", [])
                    line.append((row["feeds"], page["p95_ms"]))
        lines += [f"Claims, milliseconds ({result['leased']:,} leases asked for):", ""]
        lines += table(
            ["database", "feeds", "leased", "round", "batch", "CPU p50", "p50", "p95", "worst"],
            [
                (
                    row["database"],
                    f"{row['feeds']:,}",
                    f"{row['leased']:,}",
                    c["round"],
                    c["batch"],
                    float(c["cpu_p50_ms"]),
                    *_times(c),
                )
                for row in result["rows"]
                for c in row["claims"]
            ],
        )
        lines += ["Pages of the API process, milliseconds, one request after the other:", ""]
        lines += table(
            ["database", "feeds", "page", "first", "p50", "p95", "worst"],
            [
                (row["database"], f"{row['feeds']:,}", page["page"], float(page["first_ms"]), *_times(page))
                for row in result["rows"]
                for page in row["pages"]
            ],
        )
        lines += table(
            [
                "database",
                "feeds",
                "`feed list` ms",
                "`--source` ms",
                "of which start",
                "API MB before",
                "after",
            ],
            [
                (
                    row["database"],
                    f"{row['feeds']:,}",
                    float(row["feed_list"]["command_ms"]),
                    float(row["feed_list"]["named_ms"]),
                    float(row["feed_list"]["start_ms"]),
                    float(row["memory_before_mb"]),
                    float(row["memory_after_mb"]),
                )
                for row in result["rows"]
            ],
        )
    plots = {
        "million-claims.svg": render_lines(
            "A claim, by feeds in the schedule", "p95, milliseconds", claims, goal=10
        ),
        "million-pages.svg": render_lines(
            "Pages, by feeds in the schedule", "p95, milliseconds", pages, goal=300
        ),
    }
    shown = picture("million-claims.svg", "Time of a claim") + picture("million-pages.svg", "Time of pages")
    return shown + lines, plots


def _times(row: Result) -> tuple[float, float, float]:
    return float(row["p50_ms"]), float(row["p95_ms"]), float(row["worst_ms"])


def simulate(results: Named) -> Section:
    lines = []
    for _, result in results:
        lines += table(
            [
                "what happens",
                "feeds",
                "hosts",
                "hours",
                "lag p50 s",
                "p95",
                "p99",
                "claims a fetch",
                "slots used",
                "storm s",
                "violations",
            ],
            [
                (
                    row["scenario"],
                    f"{row['feeds']:,}",
                    f"{row['hosts']:,}",
                    row["hours"],
                    *(float(row["lag_s"][name]) for name in ("p50", "p95", "p99")),
                    float(row["claims_per_fetch"]),
                    f"{row['slots_used']:.1%}",
                    "–" if row["storm_s"] is None else float(row["storm_s"]),
                    row["spacing_violations"],
                )
                for row in result["rows"]
            ],
        )
        took = (number_text(result[name]) for name in ("wall_s", "cpu_s"))
        lines += ["The three took {} s, {} s of CPU.".format(*took), ""]
    return lines, {}


def api(results: Named) -> Section:
    lines, plots = [], {}
    for name, result in results:
        if "cached" in result:
            lines += ["A cached feed of 40 KB, 16 connections:", ""]
            lines += table(
                ["server", "answer", "CPU µs", "requests a second", "p99 ms"],
                [
                    (r["server"], r["what"], float(r["cpu_us"]), float(r["rate"]), float(r["p99_ms"]))
                    for r in result["cached"]
                ],
            )
            bars = [
                (f"{r['server']}, {r['what']}", float(r["cpu_us"]), int(r["server"] == "nginx") * 4)
                for r in result["cached"]
            ]
            plots[f"{name}.svg"] = render_bars("CPU for an answer", "microseconds, less is better", bars)
            lines += picture(f"{name}.svg", "CPU for an answer")
        if "mixed" in result:
            lines += [
                f"{result['rate']:g} requests a second while a worker collects {result['feeds']:,} feeds, ms:",
                "",
            ]
            lines += table(
                ["database", "requests", "p50", "p99", "worst"],
                [
                    (
                        r["database"],
                        r["requests"],
                        float(r["p50_ms"]),
                        float(r["p99_ms"]),
                        float(r["worst_ms"]),
                    )
                    for r in result["mixed"]
                ],
            )
        if "questions" in result:
            lines += [f"{result['items']:,} items, milliseconds, one request after the other:", ""]
            kinds = list(dict.fromkeys(r["database"] for r in result["questions"]))
            asked: dict[str, list[float]] = {}
            for r in result["questions"]:
                asked.setdefault(r["what"], []).extend(_times(r))
            lines += table(
                ["question", *(f"{kind} {word}" for kind in kinds for word in ("p50", "p95", "worst"))],
                [(what, *times) for what, times in asked.items()],
            )
    return lines, plots


def load(results: Named) -> Section:
    """Render nginx once for each database: it runs beside that database's worker."""
    rows = []
    for _, result in results:
        kind = result["arguments"]["database"]
        for server, label in (("nginx", "nginx with the same bytes"), ("API", "API")):
            row = result[server]
            is_api = server == "API"
            rows.append(
                (
                    f"{label}, {kind}",
                    *(float(row[name]) for name in ("p50_ms", "p95_ms", "p99_ms", "worst_ms")),
                    float(row["cold_p99_ms"]) if is_api else "–",
                    float(row["cpu_ms"]) if is_api else "–",
                    float(row["worker_cores"]),
                    float(row["database_cores"]) if kind == "postgresql" else "in it",
                )
            )
    head = [
        "server",
        "p50",
        "p95",
        "p99",
        "worst",
        "p99 while caches fill",
        "CPU ms a request",
        "worker's cores",
        "database's cores",
    ]
    return table(head, rows), {}


def anything(results: Named) -> Section:
    """Render rows of plain values."""
    lines: list[str] = []
    for _, result in results:
        rows = [
            {k: v for k, v in row.items() if not isinstance(v, dict | list)} for row in result.get("rows", [])
        ]
        if rows:
            head = list(dict.fromkeys(key for row in rows for key in row))
            lines += table(
                [word.replace("_", " ") for word in head],
                [[row.get(key, "–") for key in head] for row in rows],
            )
    return lines, {}


SECTIONS: dict[str, Callable[[Named], Section]] = {
    "farm": farm,
    "peers": peers,
    "scaleout": scaleout,
    "million": million,
    "simulate": simulate,
    "crowd": anything,
    "api": api,
    "load": load,
    "startup": anything,
    "walk": anything,
    "sitemap": anything,
    "canonical": anything,
    "extraction": anything,
    "feeds": anything,
    "tui": anything,
    "chaos": anything,
}
MADE_BY = {"chaos": "make chaos"}
"""Commands of results that no benchmark of that name makes."""


def copy_newest(source: Path) -> None:
    """Copy the newest result of each kind and arguments, named without its time so that the next run replaces it."""
    for file in sorted(source.glob("*.json"), key=lambda file: file.stem[-15:]):
        name = _STAMP.sub("", file.stem)
        if name == "api":
            result = json.loads(file.read_text())
            name = f"api-{result['steps']}" + (
                f"-{result['database'] or 'sqlite'}-{result['items']}" if "questions" in result else ""
            )
        shutil.copyfile(file, FOLDER / f"{name}.json")


def section(name: str) -> str:
    found = [
        (file.stem, json.loads(file.read_text()))
        for file in sorted(FOLDER.glob("*.json"))
        if re.match(rf"{name}(-|$)", file.stem)
    ]
    lines, plots = SECTIONS[name](found) if found else ([], {})
    for file, plot in plots.items():
        (FOLDER / file).write_text(plot)
    for _, result in found:
        if at := result.get("at"):
            machine = f", {_machine(result['machine'])}" if "machine" in result else ""
            lines += [f"Measured {at[:16].replace('T', ' ')} UTC{machine}.", ""]
    for text in sorted(FOLDER.glob(f"{name}*.txt")):
        lines += ["```", text.read_text().strip(), "```", ""]
    made_by = MADE_BY.get(name, f"python -m bench {name}")
    return "\n".join(lines) if lines else f"Not measured yet on a quiet machine: `{made_by}`.\n"


def _machine(machine: object) -> str:
    return (
        ", ".join(f"{key} {value}" for key, value in machine.items())
        if isinstance(machine, dict)
        else str(machine)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="source", type=Path)
    given = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    if given.source:
        copy_newest(given.source)
    page = PAGE.read_text()
    for name in SECTIONS:
        begin, end = f"<!-- results: {name} -->\n", f"<!-- end: {name} -->"
        if begin not in page or end not in page:
            raise SystemExit(f"{PAGE} has no place for the results of {name}: {begin.strip()} … {end}")
        head, rest = page.split(begin, 1)
        page = f"{head}{begin}\n{section(name)}\n{end}{rest.split(end, 1)[1]}"
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
