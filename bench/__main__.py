"""Runs the benchmarks that are named, or all of them; other arguments are passed on to each.

python -m bench [NAME …] [--corpus FOLDER] [ARGUMENTS OF THE BENCHMARK]
"""

from __future__ import annotations

import importlib
import sys

BENCHMARKS = {
    "feeds": "bench.feeds",
    "farm": "bench.farm",
}
"""Name → module with a `main(argv)` that returns an exit code."""


def main(argv: list[str]) -> int:
    names = []
    while argv and not argv[0].startswith("-"):
        names.append(argv.pop(0))
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(
            f"No such benchmark: {', '.join(unknown)}. There are: {', '.join(BENCHMARKS)}.", file=sys.stderr
        )
        return 2
    failed = 0
    for name in names or BENCHMARKS:
        print(f"== {name}")
        failed |= importlib.import_module(BENCHMARKS[name]).main(list(argv))
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
