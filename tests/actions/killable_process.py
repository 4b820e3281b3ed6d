"""A command in a process that can be killed at a known moment: `MOMENT ARGUMENT…`, with DATABASE_URL set.

MOMENT is a number: after that many writing statements the process prints "here" and waits to be killed, its
transaction open. With `commit` it does so right before the commit, with `never` it runs to the end and prints "done".
"""

from __future__ import annotations

import sys
from typing import Any

from sqlalchemy import Engine, event

from inforadar.cli import run


def stop_here() -> None:
    print("here", flush=True)  # noqa: T201
    sys.stdin.read()


def main(moment: str, arguments: list[str]) -> None:
    written = 0

    @event.listens_for(Engine, "after_cursor_execute")
    def after(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        nonlocal written
        written += statement.startswith(("INSERT", "UPDATE", "DELETE"))
        if str(written) == moment:
            stop_here()

    @event.listens_for(Engine, "commit")
    def commit(_connection: Any) -> None:
        if moment == "commit" and written:
            stop_here()

    code = run(arguments)
    print("done" if code == 0 else f"failed with {code}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
