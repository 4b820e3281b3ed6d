"""`inforadar completion`: shell completion of commands and options."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="The shell.")],
) -> None:
    """Print a shell completion script.

    bash: `inforadar completion bash > ~/.local/share/bash-completion/completions/inforadar`
    zsh: `inforadar completion zsh > ~/.zfunc/_inforadar`, with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc
    fish: `inforadar completion fish > ~/.config/fish/completions/inforadar.fish`
    """
    from inforadar.cli import build_app  # noqa: PLC0415 - the commands name this one

    print(build_app().generate_completion(prog_name="inforadar", shell=shell))
