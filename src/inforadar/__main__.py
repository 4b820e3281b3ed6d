"""`python -m inforadar` and the `inforadar` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and exits with its code."""
    from inforadar.cli import run  # noqa: PLC0415 - the cheapest start is the one that imports last

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
