"""`python -m inforadar` and the `inforadar` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and exits with its code."""
    # The cheapest start is the one that imports last.
    from inforadar.cli import run  # noqa: PLC0415
    from inforadar.cli.terminal.streams import close_streams, open_streams  # noqa: PLC0415

    open_streams()
    try:
        code = run(sys.argv[1:])
    finally:
        close_streams()
    sys.exit(code)


if __name__ == "__main__":
    main()
