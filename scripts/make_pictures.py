"""Make the pictures of docs/: screenshots of the program with its sample, in a browser and in the terminal.

Starts `inforadar up` in a temporary home on free ports and takes screenshots with headless chromium; nothing leaves
loopback. The sample's articles are in many languages and use emoji, so the machine needs fonts for them:
`apt-get install chromium fonts-dejavu fonts-wqy-microhei fonts-noto-color-emoji`.

The pictures are in the repository, so they must stay small: chromium writes three bytes per pixel, and a palette of 256
colours is enough for a page of text, at a third of the size. The terminal's screens are drawn as SVG.
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
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from textual.pilot import Pilot

from inforadar.app.store import open_store
from inforadar.config import load_settings
from inforadar.tui.app import RadarApp

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
SIZE = (1280, 800)
LARGEST = 150_000
TERMINAL_SIZE = (112, 30)
STORY = "/lumen/telescope-impossible-signal"
"""The article to show: one with loaded wording."""
PATIENCE_S = 60.0

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def main() -> None:
    browser = shutil.which("chromium")
    if browser is None:
        sys.exit("The pictures need chromium: apt-get install chromium")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, program(Path(folder)) as (url, environment):
        story = wait_for_story(environment)
        for name, path in (("page", "/"), ("article", f"/item/{story}")):
            shot = Path(folder) / f"{name}.png"
            photograph(browser, f"{url}{path}", shot)
            picture = with_palette(shot.read_bytes())
            if len(picture) > LARGEST:
                sys.exit(f"{name}.png has {len(picture)} bytes, more than {LARGEST}.")
            (PICTURES / f"{name}.png").write_bytes(picture)
        asyncio.run(draw_terminal(Path(environment["INFORADAR_HOME"])))


async def draw_terminal(home: Path) -> None:
    """Take the list, and an article with loaded wording."""
    settings = load_settings(home)
    async with open_store(settings) as database:
        app = RadarApp(settings, database)
        app.theme = "dark"
        async with app.run_test(size=TERMINAL_SIZE) as pilot:
            await settle(app, pilot)
            (PICTURES / "terminal-list.svg").write_text(drawn(app), "utf-8")
            while (row := await app.articles.step(1)) and not row.item.url.endswith(STORY):
                pass
            await pilot.press("enter")
            await settle(app, pilot)
            (PICTURES / "terminal-reading.svg").write_text(drawn(app), "utf-8")


async def settle(app: RadarApp, pilot: Pilot[None]) -> None:
    await pilot.pause()
    await app.workers.wait_for_complete()
    await pilot.pause()


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


def photograph(browser: str, url: str, target: Path) -> None:
    subprocess.run(  # noqa: S603 - our own arguments
        [
            browser,
            *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            f"--user-data-dir={target.with_suffix('.profile')}",
            f"--window-size={SIZE[0]},{SIZE[1]}",
            f"--screenshot={target}",
            url,
        ],
        check=True,
        capture_output=True,
        timeout=PATIENCE_S,
    )


def with_palette(png: bytes) -> bytes:
    """Reduce a picture to one byte per pixel by merging colours that are hard to tell apart."""
    width, pixels = read_png(png)
    palette = few_colours(Counter(pixels))
    index = {colour: number for number, colour in enumerate(dict.fromkeys(palette.values()))}
    rows = bytearray()
    for start in range(0, len(pixels), width):
        rows.append(0)
        rows += bytes(index[palette[pixel]] for pixel in pixels[start : start + width])
    head = struct.pack(">IIBBBBB", width, len(pixels) // width, 8, 3, 0, 0, 0)
    parts = (
        (b"IHDR", head),
        (b"PLTE", b"".join(index)),
        (b"IDAT", zlib.compress(bytes(rows), 9)),
        (b"IEND", b""),
    )
    return PNG_SIGNATURE + b"".join(chunk(kind, data) for kind, data in parts)


def few_colours(counted: Counter[bytes]) -> dict[bytes, bytes]:
    """Map each colour to one of at most 256, by ignoring as many low bits as necessary.

    Each group of similar colours becomes its most frequent member, so that background and text stay exact.
    """
    for bits in range(8):
        shown: dict[bytes, bytes] = {}
        for colour, _ in counted.most_common():
            shown.setdefault(bytes(part >> bits for part in colour), colour)
        if len(shown) <= 256:
            break
    return {colour: shown[bytes(part >> bits for part in colour)] for colour in counted}


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def read_png(png: bytes) -> tuple[int, list[bytes]]:
    """Read a PNG as chromium writes it (8 bits, no interlace): its width, and pixels of 3 bytes each."""
    packed = b""
    position = len(PNG_SIGNATURE)
    while position < len(png):
        length, kind = struct.unpack_from(">I4s", png, position)
        data = png[position + 8 : position + 8 + length]
        position += 12 + length
        if kind == b"IHDR":
            width, height, depth, colours, _, _, interlace = struct.unpack(">IIBBBBB", data)
            if depth != 8 or colours not in (2, 6) or interlace:
                sys.exit("This chromium writes screenshots in a form that is not known here.")
            step = 3 if colours == 2 else 4
        elif kind == b"IDAT":
            packed += data
    rows = zlib.decompress(packed)
    pixels: list[bytes] = []
    above = bytes(width * step)
    for number in range(height):
        start = number * (width * step + 1)
        above = unfiltered(rows[start], rows[start + 1 : start + 1 + width * step], above, step)
        pixels += [above[n : n + 3] for n in range(0, len(above), step)]
    return width, pixels


def unfiltered(kind: int, row: bytes, above: bytes, step: int) -> bytes:
    """Undo PNG's filter of a row, which writes each byte as a difference to its neighbours."""
    out = bytearray(row)
    for n, byte in enumerate(row):
        left = out[n - step] if n >= step else 0
        up = above[n]
        corner = above[n - step] if n >= step else 0
        guess = (0, left, up, (left + up) // 2, 0)[kind]
        if kind == 4:
            slope = left + up - corner
            guess = min((left, up, corner), key=lambda near: abs(slope - near))
        out[n] = (byte + guess) & 255
    return bytes(out)


if __name__ == "__main__":
    main()
