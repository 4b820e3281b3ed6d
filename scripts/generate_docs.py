"""Write the pages of docs/ that are generated from the code: settings, commands, keys and URLs."""

from __future__ import annotations

import re
from pathlib import Path

from textual.binding import Binding

from inforadar.cli import build_app
from inforadar.config import SECTIONS, allowed, default_of, field_texts, is_secret
from inforadar.tui.commands.keys import action_name, keys_of, shown_key
from inforadar.tui.screens.all_screens import all_screens
from inforadar.urls import TRACKING_PARAMETERS, TRACKING_PREFIXES

DOCS = Path(__file__).parent.parent / "docs"


def config_page() -> str:
    """Render the page of settings from their docstrings."""
    lines = [
        "# Settings",
        "",
        "Generated from `src/inforadar/config` by `make docs`.",
        "",
        "A value comes from the environment, else from `.env` in the home folder, else from `.env` in the working",
        "folder, else from `inforadar.toml` in the home folder, else it is the default. An empty variable counts as",
        "not set. Any value, secrets above all, can be in a file of its own: name the file in `<NAME>_FILE`.",
        "`inforadar config show` prints every value and where it comes from. The home folder is `--home`, or",
        "`INFORADAR_HOME`, or the user's data folder (on Linux `~/.local/share/inforadar`).",
        "",
    ]
    for name, section in SECTIONS.items():
        lines += [f"## `[{name}]`", "", (section.__doc__ or "").strip(), ""]
        lines += ["| in `inforadar.toml` | in the environment | default | takes | |", "|---|---|---|---|---|"]
        texts = field_texts(section)
        for field in section.__struct_fields__:
            given = default_of(section, field)
            default = "" if given in (None, "", ()) else f"`{_plain(given)}`"
            takes = "a secret" if is_secret(section, field) else allowed(section, field)
            lines.append(
                f"| `{field}` | `{section.env_name(field)}` | {default} | {takes} | {texts[field]} |"
            )
        lines.append("")
    return "\n".join(lines)


def _plain(value: object) -> object:
    return getattr(value, "value", value)


def cli_page() -> str:
    """Render Cyclopts' own page without its repetitions: the list of commands and the default of flags."""
    lines = [
        "# Commands",
        "",
        "Generated from `src/inforadar/cli` by `make docs`.",
        "",
        "Every command takes these options, anywhere on the line: `--home FOLDER` (or `INFORADAR_HOME`), the folder",
        "with the settings and the database; `--log-format` and `--log-level`. Exit codes: 0 done, 1 something failed,",
        "2 wrong use or refused, 130 interrupted. Errors are one line on standard error, `inforadar: …`. The output of",
        "`--json` is described in [JSON](json.md).",
        "",
    ]
    made = build_app().generate_docs(output_format="markdown", heading_level=1, recursive=True)
    twice = r"^## Table of Contents\n\n|^\*\*Commands\*\*:\n\n(?:\* .*\n)+\n"
    _, contents, rest = re.split(twice, made, maxsplit=2, flags=re.MULTILINE)
    rest = re.sub(r" ?\*\[default: False\]\*", "", rest)
    return "\n".join([*lines, contents.rstrip("\n"), "", rest.strip(), ""])


def urls_page() -> str:
    """Render the page about normalized URLs."""
    dropped = ", ".join(f"`{name}`" for name in sorted(TRACKING_PARAMETERS))
    families = ", ".join(f"`{prefix}…`" for prefix in TRACKING_PREFIXES)
    return f"""# URLs

Generated from `src/inforadar/urls.py` by `make docs`.

An item is identified by its normalized URL. URLs are parsed as browsers do (WHATWG): the host is lower case and IDNA,
default ports and dot segments are removed. Fragment and tracking parameters are dropped; other parameters keep their
order. `http` and `https`, with and without `www`, remain different URLs. Normalizing twice changes nothing.

`items.hash` is the SHA-256 of the normalized URL in hex; an article's `uid` is the first 16 hex digits of its SHA-1.
Requests use the URL as given, and a feed's own URL keeps all its parameters.

Dropped parameters: {dropped}.

Dropped parameters with these prefixes: {families}.
"""


def keys_page() -> str:
    """Render the keys of the terminal app, with the names of their actions in the settings."""
    lines = [
        "# Keys of the terminal app",
        "",
        "Generated from `src/inforadar/tui` by `make docs`.",
        "",
        "Any key can be changed in `inforadar.toml`: name the screen, the action and its keys, one or several.",
        "`[keys.all]` is for all screens that have the action. A key that two actions of a screen would share is",
        "refused.",
        "",
        "```toml",
        "[keys.articles]",
        'stories = "Z"',
        'mark-read = ["m", "ctrl+r"]',
        "",
        "[keys.all]",
        'quit = "Q"',
        "```",
        "",
        "Keys have their own sign (`x`, `X`, `*`) or a name: `space`, `enter`, `escape`, `backspace`, `delete`, `tab`,",
        "`up`, `pagedown`, `home`, `f5`, `ctrl+x`.",
        "",
    ]
    for name, screen in all_screens().items():
        lines += [f"## {screen.HELP}: `[keys.{name}]`", "", "| keys | action | |", "|---|---|---|"]
        for binding in screen.BINDINGS:
            assert isinstance(binding, Binding)
            keys = " ".join(f"`{shown_key(key)}`" for key in keys_of(binding, {}))
            keys = keys.replace("|", "\\|")
            lines.append(f"| {keys} | `{action_name(binding.action)}` | {binding.description} |")
        lines.append("")
    return "\n".join(lines)


PAGES = {"config.md": config_page, "cli.md": cli_page, "keys.md": keys_page, "urls.md": urls_page}


def main() -> None:
    for name, render in PAGES.items():
        (DOCS / name).write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main()
