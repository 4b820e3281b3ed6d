"""The documents against the repository: links, clauses, decisions, layers.

A document that is wrong is worse than none, and nobody notices when a file is renamed. What can be checked
by a machine is checked here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.paths import ROOT

DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")])
NOT_BUILT = "–"


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def prose_lines(text: str) -> Iterator[str]:
    """Lines outside fenced blocks: what a Markdown reader would take links and headings from."""
    fence = ""
    for line in text.splitlines():
        mark = re.match(r" {0,3}(```+|~~~+)", line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            yield line


def links(text: str) -> Iterator[str]:
    """Targets of inline links, of link definitions and of HTML attributes; code spans hold none."""
    for line in prose_lines(text):
        bare = re.sub(r"`+[^`]*`+", "", line)
        yield from re.findall(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)", bare)
        yield from re.findall(r"^\s*\[[^\]]+\]:\s*<?([^\s>]+)", bare)
        yield from re.findall(r"\b(?:href|src|srcset)=\"([^\"]+)\"", bare)


def anchors(text: str) -> set[str]:
    """What can stand after `#`: headings as GitHub slugs them, and explicit ids."""
    found: set[str] = set()
    for line in prose_lines(text):
        found.update(re.findall(r"\bid=\"([^\"]+)\"", line))
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if heading is None:
            continue
        label = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
        slug = re.sub(r"[^\w\- ]", "", label).replace(" ", "-")
        number = 0
        while (candidate := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(candidate)
    return found


def leads_nowhere(target: str, page: Path, root: Path) -> bool:
    if re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.IGNORECASE):
        return False
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.is_relative_to(root) or not file.exists():
        return True
    return bool(anchor) and anchor not in anchors(file.read_text("utf-8"))


def broken_links(page: Path, root: Path = ROOT) -> list[str]:
    return [target for target in links(page.read_text("utf-8")) if leads_nowhere(target, page, root)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseRow:
    clause: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]
    is_built: bool


def spec_clauses() -> list[str]:
    """A1 … X8 as they open a list entry, and the numbers of the rulings."""
    spec = (DOCS / "spec.md").read_text("utf-8")
    rulings = spec.split("\n## Rulings", 1)[1].split("\n## ", 1)[0]
    return [
        *(f"Ruling {number}" for number in re.findall(r"^(\d+)\. ", rulings, re.MULTILINE)),
        *re.findall(r"^- \*\*([A-Z]\d+)\*\* ", spec, re.MULTILINE),
    ]


def clause_rows() -> list[ClauseRow]:
    rows = []
    for line in (DOCS / "seeds.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if re.fullmatch(r"Ruling \d+|[A-Z]\d+", cells[0]):
            assert len(cells) == 4, f"a row has four cells: {line}"
            clause, _, modules, tests = cells
            rows.append(
                ClauseRow(
                    clause=clause,
                    modules=tuple(re.findall(r"`([^`]+)`", modules)),
                    tests=tuple(re.findall(r"`([^`]+)`", tests)),
                    is_built=tests != NOT_BUILT,
                )
            )
    return rows


def missing(name: str, under: Path) -> bool:
    """Whether a path, or the function after its `::`, is not there."""
    path, _, function = name.partition("::")
    file = next((base / path for base in (under, ROOT) if (base / path).exists()), None)
    if file is None:
        return True
    return bool(function) and re.search(rf"def {re.escape(function)}\b", file.read_text("utf-8")) is None


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_relative_link_points_to_a_file_and_an_anchor_that_exist(page: Path) -> None:
    assert broken_links(page) == []


def test_a_link_to_nothing_or_out_of_the_repository_is_noticed(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    (tmp_path / "outside.md").write_text("# There\n", "utf-8")
    page = root / "page.md"
    page.write_text(
        "# A heading\n[good](#a-heading) [itself](page.md#a-heading) [web](https://example.com/x)\n"
        "`[code](gone.md)`\n```\n[fenced](gone.md)\n```\n"
        "[gone](gone.md) [no such heading](#b) [outside](../outside.md)\n",
        "utf-8",
    )
    assert broken_links(page, root) == ["gone.md", "#b", "../outside.md"]


def test_headings_become_anchors_as_on_github() -> None:
    text = (
        "# A. The fetch command (seed 0)\n## `code` & more\n## Twice\n## Twice\n"
        "```\n# no heading\n```\n## Новости\n"
    )
    assert anchors(text) == {"a-the-fetch-command-seed-0", "code--more", "twice", "twice-1", "новости"}


def test_the_specification_has_all_its_clauses() -> None:
    rulings = [f"Ruling {number}" for number in range(1, 20)]
    last_of = {"A": 15, "B": 11, "P": 14, "C": 10, "D": 8, "E": 8}
    expected = [f"{name}{number}" for name, last in last_of.items() for number in range(1, last + 1)]
    assert spec_clauses() == [
        *rulings,
        *expected,
        "X1",
        "X2",
        "X7",
        "X8",
        "X9",
        "X10",
        "X11",
        *(f"S{number}" for number in range(1, 9)),
        *(f"G{number}" for number in range(1, 9)),
        *(f"Q{number}" for number in range(1, 6)),
        *(f"N{number}" for number in range(1, 8)),
        *(f"V{number}" for number in range(1, 7)),
        *(f"L{number}" for number in range(1, 9)),
        *(f"H{number}" for number in range(1, 8)),
    ]


def test_every_clause_has_exactly_one_row_in_the_order_of_the_specification() -> None:
    assert [row.clause for row in clause_rows()] == spec_clauses()


def test_every_row_names_its_modules_and_either_its_tests_or_a_dash() -> None:
    assert [row.clause for row in clause_rows() if not row.modules] == []
    assert [row.clause for row in clause_rows() if row.is_built and not row.tests] == []


def test_the_modules_and_tests_of_built_clauses_exist() -> None:
    gone = [
        (row.clause, name)
        for row in clause_rows()
        if row.is_built
        for names, under in ((row.modules, ROOT / "src" / "inforadar"), (row.tests, ROOT / "tests"))
        for name in names
        if missing(name, under)
    ]
    assert gone == []


def test_a_missing_path_and_a_missing_test_function_are_noticed() -> None:
    here = "docs/test_docs.py"
    assert not missing(here, ROOT / "tests")
    assert not missing(f"{here}::test_headings_become_anchors_as_on_github", ROOT / "tests")
    assert not missing("Makefile", ROOT / "src" / "inforadar")
    assert missing(f"{here}::test_that_nobody_wrote", ROOT / "tests")
    assert missing("unit/test_nothing_at_all.py", ROOT / "tests")


def test_the_readme_stays_within_120_lines() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 100


def test_the_index_of_decisions_lists_every_record_by_its_title() -> None:
    index = (DOCS / "adr" / "README.md").read_text("utf-8")
    listed = re.findall(r"^\| \[(.+?)\]\((\d{4}-[\w-]+\.md)\)", index, re.MULTILINE)
    records = sorted((DOCS / "adr").glob("[0-9]*.md"))
    assert listed == [
        (page.read_text("utf-8").splitlines()[0].removeprefix("# "), page.name) for page in records
    ]


def test_decisions_are_numbered_without_gaps_and_have_their_three_parts() -> None:
    for number, record in enumerate(sorted((DOCS / "adr").glob("[0-9]*.md")), start=1):
        text = record.read_text("utf-8")
        assert record.name.startswith(f"{number:04}-")
        assert text.startswith(f"# {number}. ")
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences"]


def test_every_ruling_has_a_decision_record() -> None:
    index = (DOCS / "adr" / "README.md").read_text("utf-8")
    named = [
        f"Ruling {number}"
        for cell in re.findall(r"^\| \[.+?\]\(\d{4}-.+?\) \| ([\d, ]*)\|", index, re.MULTILINE)
        for number in re.findall(r"\d+", cell)
    ]
    rulings = [clause for clause in spec_clauses() if clause.startswith("Ruling")]
    assert sorted(named) == sorted(rulings)


def test_the_layers_on_the_architecture_page_are_those_that_are_checked() -> None:
    block = re.search(r"```layers\n(.+?)```", (DOCS / "architecture.md").read_text("utf-8"), re.DOTALL)
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    assert block is not None
    checked = next(c["layers"] for c in contracts if c["type"] == "layers")
    assert block[1].splitlines() == [re.sub(r"[()]", "", layer) for layer in checked]


def test_the_metrics_that_operations_names_are_measured() -> None:
    named = set(re.findall(r"inforadar_[a-z_]+", (DOCS / "operations.md").read_text("utf-8")))
    source = "".join(path.read_text("utf-8") for path in (ROOT / "src/inforadar").rglob("*.py"))
    assert len(named) > 5
    assert [name for name in sorted(named) if f'"{name}"' not in source] == []


def test_the_settings_and_options_that_operations_names_exist() -> None:
    page = (DOCS / "operations.md").read_text("utf-8")
    config, commands = ((DOCS / name).read_text("utf-8") for name in ("config.md", "cli.md"))
    settings = set(re.findall(r"`((?:FETCHER|RETENTION|AI|INFORADAR|REDIS|DATABASE)_[A-Z_]*[A-Z])[=`]", page))
    assert [name for name in sorted(settings) if name.removesuffix("_FILE") not in config] == []
    options = set(re.findall(r"(--[a-z][a-z-]+)", page)) - {"--build", "--now", "--home"}
    assert [option for option in sorted(options) if option not in commands] == []
