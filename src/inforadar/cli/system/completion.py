"""`inforadar completion …`: shell completion of commands, options, feeds, sources, topics and runs.

The scripts are files of the package, made by `scripts/generate_completions.py`: making them takes seconds.
"""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from inforadar.cli.terminal.output import print_line
from inforadar.errors import OutputError, UsageError

Shell = Literal["bash", "zsh", "fish"]
_FILES: dict[Shell, str] = {"bash": "inforadar.bash", "zsh": "_inforadar", "fish": "inforadar.fish"}


def show(shell: Annotated[Shell, Parameter(help="The shell.")]) -> None:
    """Print a shell's completion script, to put it in a place of your own."""
    print(_script(shell), end="")


def install(shell: Annotated[Shell | None, Parameter(help="The shell. Default: yours.")] = None) -> None:
    """Put the completion script where the shell looks for it, for this user."""
    shell = shell or _own_shell()
    path = _place(shell)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_script(shell), encoding="utf-8")
    except OSError as fault:
        raise OutputError(f"{path} cannot be written: {fault.strerror}.") from None
    print_line(f"Wrote {path}. New shells complete `inforadar`.")
    if shell == "bash":
        print_line(f"If not: install the package bash-completion, or add `source {path}` to ~/.bashrc.")
    elif shell == "zsh":
        print_line("If not, add this to ~/.zshrc:")
        print_line(f"  fpath=({path.parent} $fpath); autoload -U compinit && compinit")


def _script(shell: Shell) -> str:
    return (files("inforadar.cli") / "completions" / _FILES[shell]).read_text(encoding="utf-8")


def _own_shell() -> Shell:
    name = Path(os.environ.get("SHELL", "")).name
    for shell in _FILES:
        if shell == name:
            return shell
    raise UsageError("Which shell? Name one: inforadar completion install bash (or zsh, or fish).")


def _place(shell: Shell) -> Path:
    def folder(variable: str, otherwise: str) -> Path:
        return Path(os.environ.get(variable) or otherwise).expanduser()

    if shell == "bash":
        data = folder("XDG_DATA_HOME", "~/.local/share")
        return folder("BASH_COMPLETION_USER_DIR", str(data / "bash-completion")) / "completions" / "inforadar"
    if shell == "zsh":
        return folder("ZDOTDIR", "~") / ".zfunc" / "_inforadar"
    return folder("XDG_CONFIG_HOME", "~/.config") / "fish" / "completions" / "inforadar.fish"
