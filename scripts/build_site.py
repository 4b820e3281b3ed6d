"""Build the documentation as a site with MkDocs Material, from the same Markdown as on the repository's pages.

The pages are copied to a folder of their own, with README, CONTRIBUTING and CHANGELOG beside them; links to files
that are not documents, which a site does not have, become plain text. Every other link must lead somewhere.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parent.parent
ABOVE = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Documents above docs/, and their names on the site."""
NAV = ROOT / "docs" / "nav.txt"
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_CONFIG = """\
site_name: Info Radar
docs_dir: {docs}
site_dir: {site}
use_directory_urls: true
theme:
  name: material
  font: false
  features: [navigation.indexes, navigation.top, search.suggest, search.highlight, content.code.copy]
  palette:
    - media: "(prefers-color-scheme: light)"
      scheme: default
      primary: teal
      toggle: {{icon: material/weather-night, name: Dark}}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      primary: teal
      toggle: {{icon: material/weather-sunny, name: Light}}
plugins: [search]
markdown_extensions:
  - tables
  - fenced_code
  - toc: {{permalink: true}}
  - pymdownx.superfences
validation:
  omitted_files: warn
  absolute_links: warn
  unrecognized_links: warn
  anchors: warn
nav:
{nav}
"""


def stage(target: Path) -> None:
    """Copy the documents, with links as the site needs them."""
    shutil.copytree(ROOT / "docs", target, ignore=shutil.ignore_patterns("nav.txt"))
    for name, new in ABOVE.items():
        (target / new).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    pages = {page: ROOT / "docs" / page.relative_to(target) for page in target.rglob("*.md")}
    pages |= {target / new: ROOT / name for name, new in ABOVE.items()}
    for page, source in pages.items():
        text = page.read_text(encoding="utf-8")
        page.write_text(_LINK.sub(lambda link: _relinked(link, page, source, target), text), encoding="utf-8")  # noqa: B023


def _relinked(link: re.Match[str], page: Path, source: Path, target: Path) -> str:
    mark, text, address = link.groups()
    file, hash_sign, anchor = address.partition("#")
    if not file or ":" in file:
        return link[0]
    place = (source.parent / file).resolve()
    if place.is_dir() and (place / "README.md").exists():
        place /= "README.md"
    if place.parent == ROOT and place.name in ABOVE:
        new = target / ABOVE[place.name]
    elif place.is_relative_to(ROOT / "docs") and place.is_file():
        new = target / place.relative_to(ROOT / "docs")
    else:
        return text
    return f"{mark}[{text}]({os.path.relpath(new, page.parent)}{hash_sign}{anchor})"


def expanded(text: str, documents: list[str]) -> list[str]:
    """Return the table's lines; a pattern like `adr/*.md` stands for all documents there that no line names."""
    named = set(text.split())
    lines = []
    for line in text.splitlines():
        if "*" in line:
            lines += [f"  {name}" for name in documents if name not in named and fnmatch(name, line.strip())]
        else:
            lines.append(line)
    return lines


def nav_lines(text: str, documents: list[str]) -> str:
    """Turn the table of contents, `Section` and `  file.md`, into MkDocs' form."""
    lines = []
    for line in expanded(text, documents):
        if line.startswith(" "):
            title, _, file = line.strip().rpartition(" ")
            lines.append(f"      - {file}" if not title else f'      - "{title}": {file}')
        elif line:
            lines.append(f'  - "{line}":')
    return "\n".join(lines)


def main() -> int:
    """Build the site strictly: a broken link fails."""
    with tempfile.TemporaryDirectory() as folder:
        docs = Path(folder) / "docs"
        stage(docs)
        config = Path(folder) / "mkdocs.yml"
        documents = sorted(page.relative_to(docs).as_posix() for page in docs.rglob("*.md"))
        nav = nav_lines(NAV.read_text(encoding="utf-8"), documents)
        config.write_text(_CONFIG.format(docs=docs, site=ROOT / "site", nav=nav), encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--quiet",
            "--strict",
            "--config-file",
            str(config),
        ]
        return subprocess.run(command, check=False).returncode  # noqa: S603 - our own command


if __name__ == "__main__":
    sys.exit(main())
