"""Make the pictures of docs/: screenshots of the program with its sample, in a browser and in the terminal.

Starts `inforadar up` in a temporary home on free ports and takes screenshots with headless chromium; nothing leaves
loopback. The sample's articles are in many languages and use emoji, so the machine needs fonts for them:
`apt-get install chromium fonts-dejavu fonts-wqy-microhei fonts-noto-color-emoji`.

The pictures are in the repository, so they must stay small (`png_palette.py`). The terminal's screens are drawn as SVG.
"""

from __future__ import annotations

import asyncio
import html
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import async_playwright
from png_palette import with_palette
from rich.cells import cell_len
from terminal_session import Session, animated_svg, settle

from inforadar.app.store import open_store
from inforadar.config import Settings, load_settings
from inforadar.store.database import Database
from inforadar.tui.app import RadarApp

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
LARGEST = 150_000
TERMINAL_SIZE, SESSION_SIZE = (112, 30), (100, 28)
TERMINAL_SIZES = ((120, 40), (80, 24), (40, 15))
STORY = "/lumen/telescope-impossible-signal"
"""The article to show: one with loaded wording."""
PATIENCE_S = 240.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """A picture of the page."""

    name: str
    path: str
    """With the id of the article to show."""
    width: int = 1000
    height: int = 720
    is_dark: bool = False


SHOTS = (
    Shot(name="page", path="/"),
    Shot(name="panes", path="/item/{story}", width=1440, height=860),
    Shot(name="article", path="/item/{story}"),
    Shot(name="dark", path="/item/{story}", width=1440, height=860, is_dark=True),
    Shot(name="phone", path="/", width=390, height=760),
    Shot(name="phone-article", path="/item/{story}", width=390, height=760),
    Shot(name="settings", path="/settings"),
)


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, program(Path(folder)) as (url, environment):
        story = wait_for_story(environment)
        asyncio.run(photograph(url, environment, story))
        asyncio.run(draw_terminal(Path(environment["INFORADAR_HOME"])))


async def draw_terminal(home: Path) -> None:
    """Take the list at three sizes, an article with loaded wording, and a session."""
    settings = load_settings(home)
    async with open_store(settings) as database:
        for columns, rows in TERMINAL_SIZES:
            app = terminal_app(settings, database)
            async with app.run_test(size=(columns, rows)) as pilot:
                await settle(app, pilot)
                (PICTURES / f"terminal-{columns}x{rows}.svg").write_text(drawn(app), "utf-8")
        app = terminal_app(settings, database)
        async with app.run_test(size=TERMINAL_SIZE) as pilot:
            await settle(app, pilot)
            (PICTURES / "terminal-list.svg").write_text(drawn(app), "utf-8")
            while (row := await app.articles.step(1)) and not row.item.url.endswith(STORY):
                pass
            await pilot.press("enter")
            await settle(app, pilot)
            (PICTURES / "terminal-reading.svg").write_text(drawn(app), "utf-8")
        app = terminal_app(settings, database)
        async with app.run_test(size=SESSION_SIZE) as pilot:
            session = Session(app, pilot)
            await record(session)
            title = "A session in the terminal app"
            (PICTURES / "terminal-session.svg").write_text(animated_svg(session.frames, title), "utf-8")


def terminal_app(settings: Settings, database: Database) -> RadarApp:
    app = RadarApp(settings, database)
    app.theme = "dark"
    return app


async def record(session: Session) -> None:
    """Read, undo, search, compare, look at the feeds, fetch."""
    await settle(session.app, session.pilot)
    session.keep(2)
    for _ in range(5):
        await session.press("j", seconds=0.25)
    await session.press("enter", seconds=3)
    await session.press("space", seconds=2)
    await session.press("n", seconds=2)
    await session.press("escape", seconds=1)
    await session.press("x", seconds=0.5)
    await session.press("x", seconds=0.5)
    await session.press("asterisk", seconds=1.5)
    await session.press("u", seconds=1.5)
    await session.press("slash", seconds=0.6)
    await session.type("ferry", seconds=0.4)
    await session.press("enter", seconds=2)
    await session.press("escape", seconds=0.8)
    await session.press("S", seconds=2)
    await session.press("enter", seconds=3)
    await session.press("escape", seconds=0.4)
    await session.press("escape", seconds=0.6)
    await session.press("F", seconds=2)
    await session.press("j", seconds=1.5)
    await session.press("e", seconds=2)
    await session.press("escape", seconds=0.5)
    await session.press("f", seconds=2.5)
    await session.press("escape", seconds=0.5)
    await session.press("escape", seconds=1.5)


def drawn(app: RadarApp) -> str:
    """Draw the screen as SVG that loads no font from another server and gives wide characters two cells."""
    svg = re.sub(r"@font-face \{.*?\}\s*", "", app.export_screenshot(title="inforadar"), flags=re.DOTALL)

    def widened(found: re.Match[str]) -> str:
        text = html.unescape(found[3])
        return f"{found[1]}{float(found[2]) / len(text) * cell_len(text):g}{found[0][found.end(2) - found.start() :]}"

    svg = re.sub(r'(<text [^>]*?textLength=")([\d.]+)"[^>]*>([^<]+)', widened, svg)
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


@contextmanager
def program(folder: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Run `inforadar up` with the sample during the block; yield its address and its environment."""
    port, sample_port = free_ports(2)
    environment = {
        **os.environ,
        "INFORADAR_HOME": str(folder / "home"),
        "INFORADAR_PORT": str(port),
        "INFORADAR_SAMPLE_PORT": str(sample_port),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "inforadar", "up"], env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        if not any("is running" in line for line in process.stdout):
            sys.exit("`inforadar up` ended unexpectedly, see above.")
        yield f"http://127.0.0.1:{port}", environment
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate()


def free_ports(count: int) -> list[int]:
    """Find free ports; all are held until the last is known, so that they differ."""
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def wait_for_story(environment: Mapping[str, str]) -> str:
    """Wait until all feeds are fetched and all items analyzed; return the id of the item to show."""
    give_up_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up_at:
        feeds = ask(environment, "feed", "list")
        items = ask(environment, "item", "list", "--limit", "1000")
        found = [str(item["id"]) for item in items if item["url"].endswith(STORY)]
        fetched = not any(feed["requested_at"] for feed in feeds)
        if found and fetched and all(item["analyzed_at"] for item in items):
            return found[0]
        time.sleep(0.5)
    sys.exit(f"The sample's {STORY} was not analyzed within {PATIENCE_S:g} seconds.")


def ask(environment: Mapping[str, str], *words: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "inforadar", *words, "--json"]
    output = subprocess.check_output(command, env=environment)  # noqa: S603 - our own program
    answer: list[dict[str, Any]] = json.loads(output)
    return answer


async def photograph(url: str, environment: Mapping[str, str], story: str) -> None:
    """Take the pictures of the page, as the first admin sees it after the tour."""
    browser = shutil.which("chromium")
    if browser is None:
        sys.exit("The pictures need chromium: apt-get install chromium")
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for shot in SHOTS:
            context = await chromium.new_context(
                viewport={"width": shot.width, "height": shot.height},
                color_scheme="dark" if shot.is_dark else "light",
                reduced_motion="reduce",
                locale="en-GB",
            )
            page = await context.new_page()
            await page.goto(f"{url}/login")
            await page.locator("summary", has_text="No password yet?").click()
            token = (Path(environment["INFORADAR_HOME"]) / "admin-token").read_text("utf-8").strip()
            await page.get_by_label("Admin token").fill(token)
            await page.get_by_role("button", name="Log in with the token").click()
            if await page.get_by_role("button", name="Got it").count():
                await page.get_by_role("button", name="Got it").click()
            await page.goto(f"{url}{shot.path.format(story=story)}", wait_until="networkidle")
            picture = with_palette(await page.screenshot())
            if len(picture) > LARGEST:
                sys.exit(f"{shot.name}.png has {len(picture)} bytes, more than {LARGEST}.")
            (PICTURES / f"{shot.name}.png").write_bytes(picture)
            await context.close()
        await chromium.close()


if __name__ == "__main__":
    main()
