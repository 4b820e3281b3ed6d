"""The browser extension in a real Chromium, beside a served database and a site to read.

Chromium asks a person before it grants an optional host permission, and nobody can answer in a test. So the extension
is loaded from a copy whose manifest has that one permission already, for `news.example`; all other files are as
released. The names of `.example` lead to the site.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from playwright.async_api import BrowserContext, Page, Worker, async_playwright

from inforadar.config import load_settings
from inforadar.store.database import open_database
from inforadar.store.upkeep.upgrade import upgrade_database
from inforadar.web.http.admin_token import load_admin_token
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.serving import running
from tests.support.paths import ROOT
from tests.support.ports import free_port
from tests.support.site.server import Site

EXTENSION = ROOT / "extension"
PERMITTED = "news.example"
PATIENCE_MS = 10_000


@dataclass(kw_only=True)
class Extended:
    """A browser with the extension."""

    context: BrowserContext
    worker: Worker
    newsroom: Newsroom
    site: Site
    address: str
    token: str
    faults: list[str]

    async def set(self, **settings: object) -> None:
        await self.worker.evaluate("given => chrome.storage.local.set(given)", settings)

    async def reset(self) -> None:
        """Forget everything but where the server is."""
        for page in self.context.pages[1:]:
            await page.close()
        await self.worker.evaluate("() => chrome.storage.local.clear()")
        await self.set(address=self.address, token=self.token)
        self.faults.clear()

    async def open(self, path: str) -> Page:
        """Open one of the extension's own pages."""
        page = await self.context.new_page()
        await page.goto(f"{self.worker.url.rpartition('/')[0]}/{path}")
        return page

    async def open_popup(self, url: str) -> Page:
        return await self.open(f"popup.html?url={quote(url, safe='')}")

    async def registered(self) -> list[str]:
        """The sites that the browser runs the content script on."""
        scripts = await self.worker.evaluate("() => chrome.scripting.getRegisteredContentScripts()")
        return [match for script in scripts for match in script["matches"]]

    async def await_registered(self, *expected: str) -> None:
        """Wait until the browser runs the content script on exactly these sites."""
        question = """async expected => {
          for (let turn = 0; turn < 500; turn += 1) {
            const scripts = await chrome.scripting.getRegisteredContentScripts();
            if (scripts.flatMap(one => one.matches).join() === expected.join()) return;
            await new Promise(done => setTimeout(done, 20));
          }
          throw new Error("not registered in time: " + expected.join());
        }"""
        await self.worker.evaluate(question, list(expected))


@asynccontextmanager
async def extended(folder: Path) -> AsyncIterator[Extended]:
    """Start site, server and browser; everything is kept in the folder."""
    home = folder / "home"
    home.mkdir()
    async with Site() as site, async_playwright() as playwright:
        settings = load_settings(home, {"INFORADAR_PORT": str(free_port())}).replaced(
            fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0}
        )
        async with open_database(settings.database_url) as database:
            await upgrade_database(database)
            async with running(database, settings):
                copied = _copy(folder / "extension")
                executable = shutil.which("chromium")
                assert executable, "Tests of the extension need chromium: apt-get install chromium"
                context = await playwright.chromium.launch_persistent_context(
                    folder / "profile",
                    executable_path=executable,
                    locale="en-GB",
                    ignore_default_args=["--disable-extensions"],
                    args=[
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        f"--load-extension={copied}",
                        f"--disable-extensions-except={copied}",
                        f"--host-resolver-rules=MAP *.example 127.0.0.1:{site.port}",
                    ],
                )
                context.set_default_timeout(PATIENCE_MS)
                workers = context.service_workers
                faults: list[str] = []
                context.on("weberror", lambda fault: faults.append(f"uncaught: {fault.error}"))
                context.on("dialog", lambda dialog: faults.append(f"dialog: {dialog.message}"))
                yield Extended(
                    context=context,
                    worker=workers[0] if workers else await context.wait_for_event("serviceworker"),
                    newsroom=Newsroom(database=database),
                    site=site,
                    address=f"http://127.0.0.1:{settings.web.port}",
                    token=load_admin_token(settings.home),
                    faults=faults,
                )
                await context.close()


def _copy(target: Path) -> Path:
    shutil.copytree(EXTENSION, target)
    manifest = json.loads((target / "manifest.json").read_text("utf-8"))
    manifest["host_permissions"].append(f"*://*.{PERMITTED}/*")
    (target / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    return target
