"""The page in a real browser: headless Chromium, one for all tests, with a fresh profile for each visit.

    from tests.support.faces.browser import Site, site

    __all__ = ["site"]  # this module's own fixture: elsewhere `site` is the site that is fetched from

    @pytest.mark.asyncio(loop_scope="session")
    async def test_…(site: Site) -> None:
        feed = await site.newsroom.add_feed()
        page = await site.open("/feeds", admin=True)
        await page.get_by_role("button", name="Add").click()
        await no_axe_violations(page)

A browser belongs to the event loop that started it, so tests of the page share the session's.

Any complaint of a page (errors, content that the policy refused, dialogs, addresses that do not answer) fails the
test at its end. Nothing leaves the machine: the test itself answers requests to other sites, and records them.
"""

from __future__ import annotations

import base64
import re
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    Request,
    Route,
    async_playwright,
)

from inforadar.actions.people.tokens import begin_session
from inforadar.config import Settings, load_settings
from inforadar.model.person import FIRST_PERSON
from inforadar.store.database import open_database
from inforadar.web.http.admin_token import load_admin_token
from inforadar.web.http.sessions import COOKIE
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.serving import running
from tests.support.ports import free_port

DESKTOP = (1280, 800)
PHONE = (390, 844)
PATIENCE_MS = 10_000
AXE_FAILS = {"serious", "critical"}
OTHER_THEMES = ("dark", "sepia")
AXE_COLOURS = """async ([themes, place]) => {
  const options = { runOnly: ["color-contrast", "link-in-text-block"], resultTypes: ["violations"] };
  const found = [];
  for (const theme of themes) {
    document.documentElement.dataset.theme = theme;
    const { violations } = await axe.run(place, options);
    found.push([theme, { violations }]);
  }
  return found;
}"""
"""Once axe is in the page."""
ONLY_VIOLATIONS = {"resultTypes": ["violations"]}
"""What is right is not told: it is most of an answer."""
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
REFUSALS = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`refused by the policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""


@dataclass(kw_only=True)
class Site:
    """A served database and a browser that opens its pages."""

    base: str
    newsroom: Newsroom
    settings: Settings
    browser: Browser
    token: str
    faults: list[str] = field(default_factory=list)
    """Complaints of the pages; a test that provokes some clears them."""
    outside: list[Request] = field(default_factory=list)
    """Requests to other sites."""
    _contexts: list[BrowserContext] = field(default_factory=list)

    async def open(self, path: str = "/", *, status: int = 200, **visitor: object) -> Page:
        """Open a page as a new visitor; `visitor` as in `visit`."""
        page = await (await self.visit(**visitor)).new_page()  # type: ignore[arg-type]
        answer = await page.goto(self.base + path)
        assert answer is not None
        assert answer.status == status, await answer.text()
        if status >= 400:
            # The browser reports exactly the answer that the test asked for.
            self.faults.clear()
        return page

    async def visit(
        self,
        *,
        admin: bool = False,
        javascript: bool = True,
        size: tuple[int, int] = DESKTOP,
        dark: bool = False,
        zone: str = "UTC",
        touch: bool = False,
    ) -> BrowserContext:
        """Start a new browser profile; with `admin`, logged in."""
        context = await self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            java_script_enabled=javascript,
            timezone_id=zone,
            locale="en-GB",
            has_touch=touch,
            reduced_motion="reduce",
        )
        context.set_default_timeout(PATIENCE_MS)
        self._contexts.append(context)
        if admin:
            cookie = await begin_session(self.newsroom.database, FIRST_PERSON, "a test")
            await context.add_cookies([{"name": COOKIE, "value": cookie, "url": self.base}])
        await context.add_init_script(REFUSALS)
        # A pattern is matched by the browser's driver; a function would be asked here about every request.
        await context.route(re.compile(f"^(?!{re.escape(self.base)}/)https?:"), self._answer_outside)
        # The server would look for them at the feeds' sites.
        await context.route(f"{self.base}/favicon/*", self._answer_favicon)
        context.on("console", self._heard)
        context.on("weberror", lambda fault: self.faults.append(f"uncaught: {fault.error}"))
        context.on("dialog", self._asked)
        return context

    async def close(self) -> None:
        for context in self._contexts:
            await context.close()

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.faults.append(f"{message.location.get('url', '')}: {message.text}")

    async def _asked(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        await dialog.dismiss()

    async def _answer_favicon(self, route: Route) -> None:
        await route.fulfill(content_type="image/png", body=DOT)

    async def _answer_outside(self, route: Route) -> None:
        self.outside.append(route.request)
        if route.request.resource_type == "image":
            await route.fulfill(content_type="image/png", body=DOT)
        else:
            await route.fulfill(content_type="text/html", body="<!doctype html><title>Elsewhere</title>")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    # The shell, which can draw no window, takes half the CPU; only the extension's tests need the whole browser.
    executable = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    assert executable, "Tests of the page need chromium: apt-get install chromium"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield browser
        await browser.close()


@pytest.fixture
def site_settings(tmp_path: Path) -> Settings:
    """Override this in a module whose pages are served with other settings."""
    return load_settings(tmp_path, {"INFORADAR_PORT": str(free_port())})


@pytest_asyncio.fixture(loop_scope="session")
async def site(chromium: Browser, site_settings: Settings, sqlite_template: Path) -> AsyncIterator[Site]:
    """An empty database, served; fails at the end if a page complained."""
    shutil.copy(sqlite_template, site_settings.home / "inforadar.db")
    async with open_database(site_settings.database_url) as database, running(database, site_settings):
        opened = Site(
            base=f"http://127.0.0.1:{site_settings.web.port}",
            newsroom=Newsroom(database=database),
            settings=site_settings,
            browser=chromium,
            token=load_admin_token(site_settings.home),
        )
        yield opened
        await opened.close()
        assert not opened.faults, opened.faults


async def no_axe_violations(page: Page) -> None:
    """Fail on violations that make a page unusable for someone; minor ones are advice."""
    results = await Axe().run(page, options=ONLY_VIOLATIONS)
    found = _violations(results.response, AXE_FAILS)
    assert not found, "\n".join(found)


async def no_axe_violations_in_any_theme(page: Page, place: str | None = None) -> None:
    """Fail on any violation, even a minor one; in the themes that are not shown, on those of colours.

    Everything that can be unfolded is: `Axe().run` once, and the other themes in the same document. With `place`, only
    there: what stands around it was looked at on another page.
    """
    await page.evaluate(
        "document.querySelectorAll('details:not(.menu)').forEach((one) => { one.open = true; })"
    )
    found = _violations((await Axe().run(page, context=place, options=ONLY_VIOLATIONS)).response)
    for theme, response in await page.evaluate(AXE_COLOURS, [OTHER_THEMES, place or "#main"]):
        found += [f"{theme}: {one}" for one in _violations(response)]
    assert not found, "\n".join([page.url, *found])


def _violations(response: dict[str, Any], impacts: set[str] | None = None) -> list[str]:
    return [
        f"{violation['id']} ({violation['impact']}): {node['html']}: {node['failureSummary']}"
        for violation in response["violations"]
        if impacts is None or violation["impact"] in impacts
        for node in violation["nodes"]
    ]


async def overflow(page: Page) -> int:
    """Return by how many pixels the page is wider than its window."""
    return int(
        await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    )
