"""Help for the program and its groups of commands, from the table of commands alone: it must be fast."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Mapping, Sequence

MAX_COLUMNS = 100


def print_overview(
    path: Sequence[str], text: str, lists: Mapping[str, Mapping[str, str]], epilogue: str = ""
) -> None:
    """Print the lists of commands under their headings; each command is a name with what it does."""
    width = min(shutil.get_terminal_size().columns, MAX_COLUMNS)
    name_width = max((len(name) for commands in lists.values() for name in commands), default=0)
    indent = " " * (name_width + 4)
    print(f"Usage: {' '.join(path)} COMMAND\n")
    print(textwrap.fill(text, width))
    for heading, commands in lists.items():
        print(f"\n{heading}:")
        for name, does in commands.items():
            begins = f"  {name:{name_width}}  "
            print(textwrap.fill(does, width, initial_indent=begins, subsequent_indent=indent))
    command = " ".join([*path, "COMMAND"])
    print(f"\n`{command} --help` shows a command's options.")
    if epilogue:
        print(textwrap.fill(epilogue, width))
