"""Write the pages of docs/ that are generated from the code: settings, commands and URLs."""

from __future__ import annotations

import re
from pathlib import Path

from inforadar.cli import build_app
from inforadar.config import SECTIONS, allowed, is_secret
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
        for field, info in section.model_fields.items():
            default = "" if info.default in (None, "", ()) else f"`{_plain(info.default)}`"
            takes = "a secret" if is_secret(section, field) else allowed(section, field)
            text = " ".join((info.description or "").split())
            lines.append(f"| `{field}` | `{section.env_name(field)}` | {default} | {takes} | {text} |")
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


PAGES = {"config.md": config_page, "cli.md": cli_page, "urls.md": urls_page}


def main() -> None:
    for name, render in PAGES.items():
        (DOCS / name).write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main()
