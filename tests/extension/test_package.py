"""The files of the extension: what the manifest names exists, nothing comes from elsewhere, it packs to one file."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest
from scripts.pack_extension import EXTENSION, pack

from inforadar import __version__

MANIFEST = json.loads((EXTENSION / "manifest.json").read_text("utf-8"))
SCRIPTS = sorted(EXTENSION.rglob("*.js"))
PAGES = sorted(EXTENSION.rglob("*.html"))


def test_the_manifest_names_files_that_exist_and_the_version_of_the_product() -> None:
    background = MANIFEST["background"]
    named = [
        *MANIFEST["icons"].values(),
        *MANIFEST["action"]["default_icon"].values(),
        MANIFEST["action"]["default_popup"],
        MANIFEST["options_ui"]["page"],
        background["service_worker"],
        *background["scripts"],
    ]
    assert [name for name in named if not (EXTENSION / name).is_file()] == []
    assert MANIFEST["version"] == __version__
    assert MANIFEST["manifest_version"] == 3


def test_no_site_can_be_read_before_the_user_allows_it() -> None:
    assert MANIFEST["host_permissions"] == ["http://127.0.0.1/*", "http://localhost/*"]
    assert MANIFEST["optional_host_permissions"] == ["*://*/*"]
    assert set(MANIFEST["permissions"]) == {"activeTab", "contextMenus", "scripting", "storage"}
    assert not {"content_scripts", "web_accessible_resources", "content_security_policy"} & MANIFEST.keys()


def test_firefox_finds_its_keys() -> None:
    gecko = MANIFEST["browser_specific_settings"]["gecko"]
    assert re.fullmatch(r"\{[0-9a-f-]{36}\}", gecko["id"])
    assert gecko["data_collection_permissions"] == {"required": ["browsingActivity"]}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_a_page_loads_its_own_files_alone(page: Path) -> None:
    text = page.read_text("utf-8")
    loaded = [name for name in re.findall(r'(?:src|href)="([^"]*)"', text) if name != "#"]
    assert [name for name in loaded if not (EXTENSION / name).is_file()] == []
    assert re.findall(r"<script(?![^>]*\ssrc=)|\son\w+=|<style|\sstyle=", text) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_makes_no_markup_of_text_and_loads_no_code(script: Path) -> None:
    text = script.read_text("utf-8")
    unsafe = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function|import\("
    )
    assert re.findall(unsafe, text) == []
    imported = re.findall(r'from "([^"]+)"', text)
    assert [name for name in imported if not (EXTENSION / name).is_file()] == []


def test_the_same_files_pack_to_the_same_bytes(tmp_path: Path) -> None:
    copied = tmp_path / "copy"
    shutil.copytree(EXTENSION, copied)
    for file in copied.rglob("*"):
        os.utime(file, (0, 0))
        file.chmod(0o755)
    one, other = pack(EXTENSION, tmp_path / "1"), pack(copied, tmp_path / "2")
    assert one.read_bytes() == other.read_bytes()
    assert one.name == f"inforadar-extension-{__version__}.zip"
    with ZipFile(one) as archive:
        assert archive.namelist()[0] == "background.js"
        assert archive.read("page.js") == (EXTENSION / "page.js").read_bytes()
