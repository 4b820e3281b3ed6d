"""The site's table of contents and the release notes, without building either: `make site` checks the rest."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from inforadar import __version__
from tests.support.paths import ROOT


def load_script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SITE = load_script("build_site")
NOTES = load_script("release_notes")


def test_every_document_is_in_the_table_of_contents_once() -> None:
    documents = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    documents = sorted([*documents, *SITE.ABOVE.values()])
    lines = SITE.expanded(SITE.NAV.read_text("utf-8"), documents)
    assert sorted(line.split()[-1] for line in lines if line.startswith(" ")) == documents


def test_links_lead_to_pages_of_the_site_and_files_that_it_lacks_become_text(tmp_path: Path) -> None:
    SITE.stage(tmp_path / "docs")
    readme = (tmp_path / "docs" / "index.md").read_text("utf-8")
    assert "](cli.md)" in readme
    assert "](pictures/panes.png)" in readme
    assert "](contributing.md)" in readme
    assert "[Apache 2.0]" not in readme


def test_the_release_notes_are_the_versions_part_of_the_changelog() -> None:
    changelog = "# C\n\n## Unreleased\n\n- new [x](docs/x.md)\n\n## 1.0 (2026-01-01)\n\n- old [y](https://y.example/)\n"
    assert NOTES.release_notes(changelog, "1.0") == "# Info Radar 1.0\n\n- old [y](https://y.example/)\n"
    assert NOTES.release_notes(changelog, "1.1") == "# Info Radar 1.1\n\n- new x\n"
    assert NOTES.current_version() == __version__
