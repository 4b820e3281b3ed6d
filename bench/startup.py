"""The CPU time of starting a command or importing the library, against a bare interpreter and a goal for each.

python -m bench startup [--rounds N]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile

_PROGRAM = ("-m", "inforadar")
STARTS = (
    ("inforadar --help", (*_PROGRAM, "--help"), 0.12),
    ("inforadar --version", (*_PROGRAM, "--version"), 0.42),
    ("inforadar config show", (*_PROGRAM, "config", "show"), 0.42),
    ("inforadar feed list", (*_PROGRAM, "feed", "list"), 0.42),
    ("inforadar item list --json", (*_PROGRAM, "item", "list", "--json"), 0.42),
    ("import inforadar.public", ("-c", "import inforadar.public"), 0.5),
)
"""What is started, how, and the goal in seconds of CPU."""


def cpu_of(arguments: list[str], home: str) -> float:
    """Return the user and system seconds of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        arguments, env={**os.environ, "INFORADAR_HOME": home}, stdout=subprocess.DEVNULL, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench startup")
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args(argv).rounds
    with tempfile.TemporaryDirectory() as home:
        subprocess.run(
            [sys.executable, "-m", "inforadar", "db", "upgrade"],
            env={**os.environ, "INFORADAR_HOME": home},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        bare = min(cpu_of([sys.executable, "-c", "pass"], home) for _ in range(rounds))
        print(f"{'':28} {'CPU s':>7} {'goal':>6}")
        print(f"{'a bare interpreter':28} {bare:7.3f}")
        for label, arguments, goal_s in STARTS:
            best = min(cpu_of([sys.executable, *arguments], home) for _ in range(rounds))
            print(f"{label:28} {best:7.3f} {goal_s:6.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
