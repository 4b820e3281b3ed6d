"""Run the named benchmarks, or all of them; other arguments are passed on to each.

    python -m bench [NAME …] [--corpora FOLDER] [ARGUMENTS OF THE BENCHMARK]

Some benchmarks measure on a corpus that is not part of this repository. `--corpora` names the folder with the corpora,
each in a subfolder, mostly of the benchmark's name, or the folder of the one corpus. A benchmark whose corpus is
missing is skipped with a message.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

BENCHMARKS = {
    "smoke": "bench.smoke",
    "startup": "bench.startup",
    "feeds": "bench.feeds",
    "sitemap": "bench.sitemap",
    "publish": "bench.publish",
    "page": "bench.page",
    "extraction": "bench.extraction",
    "canonical": "bench.canonical",
    "deframe": "bench.deframe",
    "headlines": "bench.headlines",
    "farm": "bench.farm",
    "tui": "bench.tui",
    "crowd": "bench.crowd",
    "walk": "bench.walk",
    "stories": "bench.stories",
    "revisions": "bench.revisions",
    "api": "bench.api",
    "slow_clients": "bench.slow_clients",
    "load": "bench.load",
    "memory": "bench.memory",
    "soak": "bench.soak",
    "reader": "bench.reader",
    "polling": "bench.polling",
    "simulate": "bench.simulate",
    "scaleout": "bench.scaleout",
    "million": "bench.million",
    "peers": "bench.peers",
}
"""Name → module with a `main(argv)` that returns an exit code."""

ONLY_BY_NAME = {"peers", "scaleout"}
"""`peers` installs other programs (`make bench-peers`); `scaleout` makes network namespaces and so needs root."""

TAKES_CORPUS = {"feeds": "feeds", "extraction": "extraction", "deframe": "deframe", "canonical": "extraction"}
"""Name → the folder of its corpus."""
NEEDS_CORPUS = {"extraction", "deframe"}


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
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--corpora", type=Path)
    ours, rest = parser.parse_known_args(argv)
    failed = 0
    for name in names or [name for name in BENCHMARKS if name not in ONLY_BY_NAME]:
        arguments = list(rest)
        if ours.corpora and name in TAKES_CORPUS:
            folder = ours.corpora / TAKES_CORPUS[name]
            arguments += ["--corpus", str(folder if folder.is_dir() else ours.corpora)]
        elif name in NEEDS_CORPUS and "--corpus" not in rest:
            print(f"== {name}: needs a corpus, see --corpora; left out")
            continue
        print(f"== {name}", flush=True)
        failed |= importlib.import_module(BENCHMARKS[name]).main(arguments)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
