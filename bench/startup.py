"""The CPU time of starting a command, against a bare interpreter and the limit of 0.4 s.

python -m bench startup [--rounds N]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile

LIMIT_S = 0.4
COMMANDS = (("--help",), ("--version",), ("feed", "list"), ("item", "list", "--json"), ("config", "show"))


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
        print(f"{'command':24} {'CPU s':>7} {'of the limit':>13}")
        print(f"{'(bare interpreter)':24} {bare:7.3f} {bare / LIMIT_S:12.0%}")
        for command in COMMANDS:
            best = min(cpu_of([sys.executable, "-m", "inforadar", *command], home) for _ in range(rounds))
            print(f"{'inforadar ' + ' '.join(command):24} {best:7.3f} {best / LIMIT_S:12.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
