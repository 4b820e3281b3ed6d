"""Completion in a real bash: commands and options from the script, names from the database."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from inforadar.cli.complete import complete
from inforadar.store.completion import load_values
from inforadar.store.database import Database
from tests.cli.calling import Call
from tests.support.paths import ROOT


def load_script() -> ModuleType:
    path = ROOT / "scripts" / "generate_completions.py"
    spec = importlib.util.spec_from_file_location("generate_completions", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look it up
    spec.loader.exec_module(module)
    return module


GENERATOR = load_script()


@pytest.mark.parametrize("file", GENERATOR.SCRIPTS)
def test_a_script_of_the_package_is_what_the_commands_say_today(file: str) -> None:
    kept = (GENERATOR.FOLDER / file).read_text("utf-8")
    assert kept == GENERATOR.SCRIPTS[file](), f"{file} is out of step: run `make docs`"


_ASK = """
source {script}
while IFS= read -r line; do
  IFS=$'\\x1f' read -ra COMP_WORDS <<<"$line"
  COMP_WORDS[-1]=${{COMP_WORDS[-1]%.}} COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
  _inforadar {program} 2>/dev/null
  (IFS=$'\\x1f'; echo "${{COMPREPLY[*]}}")
done
"""


def completed(home: Path, tmp_path: Path, *lines: tuple[str, ...]) -> list[list[str]]:
    """Complete the last word of each line, all in one bash."""
    program = tmp_path / "inforadar"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m inforadar "$@"\n')
    program.chmod(0o755)
    code = _ASK.format(script=GENERATOR.FOLDER / "inforadar.bash", program=program)
    # A dot ends each line, because bash drops an empty last word.
    given = "".join("\x1f".join(("inforadar", *words)) + ".\n" for words in lines)
    done = subprocess.run(
        [shutil.which("bash") or "bash", "--norc", "-c", code],
        input=given,
        env={"INFORADAR_HOME": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.split("\x1f") if line else [] for line in done.stdout.splitlines()]


def test_bash_completes_commands_options_and_names_from_the_database(
    call: Call, home: Path, tmp_path: Path
) -> None:
    call("feed", "add", "https://news.example:8443/a.xml", "--source", "Harbour Post", "--topic", "city")
    call("feed", "add", "https://other.example/b.xml", "--source", "It's $HOME\x1b[2J", "--topic", "world")
    lines: dict[tuple[str, ...], list[str]] = {
        ("fe",): ["fetch", "feed"],
        ("feed", "en"): ["enable"],
        ("feed", "add", "x", "--ki"): ["--kind"],
        ("feed", "add", "x", "--kind", "s"): ["sitemap"],
        ("feed", "add", "x", "--kind", "=", "s"): ["sitemap"],
        ("person", "app-password", "a"): ["add"],
        ("feed", "polling", "x", ""): ["on", "off"],
        ("feed", "show", "news"): ["news.example:8443/a.xml"],
        ("feed", "show", "news.example", ":", "84"): ["8443/a.xml"],
        ("item", "list", "--source", "H"): ["Harbour\\ Post"],
        ("item", "list", "--source", '"H'): ["Harbour Post"],
        ("item", "list", "--source", "It"): ["It\\'s\\ \\$HOME\\ \\[2J"],
        ("item", "list", "--topic", "w"): ["world"],
        ("--home", str(tmp_path), "item", "list", "--topic", ""): [],
        ("nonsense", ""): [],
    }
    assert dict(zip(lines, completed(home, tmp_path, *lines), strict=True)) == lines


def test_a_completed_feed_is_one_that_the_command_finds(
    call: Call, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call("feed", "add", "https://news.example/a.xml?b=1&c=100%25_x")
    complete(["feeds", "news.example/a.xml?b=1&c=100%25_"])
    value, _, text = capsys.readouterr().out.rstrip("\n").partition("\t")
    assert (value, text) == ("news.example/a.xml?b=1&c=100%25_x", "news.example · general")
    assert call("feed", "show", value).code == 0


def test_a_database_that_is_not_there_completes_to_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("INFORADAR_HOME", str(tmp_path / "none"))
    assert complete(["feeds", ""]) == 0
    assert capsys.readouterr() == ("", "")
    assert not (tmp_path / "none").exists()


async def test_both_databases_complete_alike(database: Database) -> None:
    for kind in ("feeds", "sources", "topics", "runs"):
        assert await database.read(load_values, kind, "it's 100%_") == []


def test_the_fast_way_imports_neither_the_store_nor_the_command_line(home: Path) -> None:
    code = (
        "import sys; from inforadar.cli import run; run(['__complete', 'feeds', ''])\n"
        "print([name for name in ('sqlalchemy', 'cyclopts', 'asyncio', 'rich', 'msgspec') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"INFORADAR_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("shell", "place"),
    [
        ("bash", ".local/share/bash-completion/completions/inforadar"),
        ("zsh", ".zfunc/_inforadar"),
        ("fish", ".config/fish/completions/inforadar.fish"),
    ],
)
def test_install_puts_the_script_where_the_shell_looks(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: str, place: str
) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "ZDOTDIR", "BASH_COMPLETION_USER_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", f"/bin/{shell}")
    assert call("completion", "install").code == 0
    assert (tmp_path / place).read_text() == call("completion", "show", shell).out


def test_an_unknown_shell_is_asked_for(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert "Which shell?" in call("completion", "install").err
