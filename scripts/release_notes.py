"""Print the release notes of this version: its part of CHANGELOG.md, or what is unreleased."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def release_notes(changelog: str, version: str) -> str:
    """Return the section of a version; without one, the unreleased changes, which become that version."""
    parts = re.split(r"^## (.+)\n", changelog, flags=re.MULTILINE)
    sections = {
        title.split()[0].strip("[]"): text.strip()
        for title, text in zip(parts[1::2], parts[2::2], strict=True)
    }
    text = sections.get(version) or sections.get("Unreleased", "")
    # A link to a file of the repository leads nowhere outside of it.
    text = re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", text)
    return f"# Info Radar {version}\n\n{text}\n"


def current_version() -> str:
    """Read the version from the package, without importing it."""
    text = (ROOT / "src" / "inforadar" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"', text, flags=re.MULTILINE)
    assert found
    return found[1]


if __name__ == "__main__":
    sys.stdout.write(release_notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), current_version()))
