"""Record a session in the terminal app as an animated SVG: keys go in, and each screen becomes a frame.

A line that looks the same in several frames is stored once. The SVG needs no script and loads nothing; where motion is
not wanted, it shows its first frame.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.pilot import Pilot

from inforadar.tui.app import RadarApp

CELL_WIDTH, LINE_HEIGHT, FONT_SIZE = 8.4, 18, 14
MARGIN, BAR = 12, 30
"""Around the screen, and the window's bar above it."""
BACKGROUND, FOREGROUND, BAR_COLOUR = "#15181c", "#d5dae0", "#22272e"


@dataclass(slots=True)
class Session:
    """Presses keys and keeps what the screen shows after each."""

    app: RadarApp
    pilot: Pilot[None]
    frames: list[tuple[float, list[list[Segment]]]] = field(default_factory=list)
    """(seconds, lines)."""

    async def press(self, *keys: str, seconds: float = 1.2) -> None:
        await self.pilot.press(*keys)
        await settle(self.app, self.pilot)
        self.keep(seconds)

    async def type(self, text: str, seconds: float = 1.2) -> None:
        for sign in text:
            await self.pilot.press({" ": "space", ":": "colon"}.get(sign, sign))
            self.keep(0.12)
        self.keep(seconds)

    def keep(self, seconds: float) -> None:
        """Keep the screen as a frame; one that has not changed is shown longer."""
        strips = self.app.screen._compositor.render_strips()
        lines = [list(strip) for strip in strips]
        if self.frames and self.frames[-1][1] == lines:
            seconds += self.frames.pop()[0]
        self.frames.append((seconds, lines))


async def settle(app: RadarApp, pilot: Pilot[None]) -> None:
    await pilot.pause()
    await app.workers.wait_for_complete()
    await pilot.pause()


def animated_svg(frames: Sequence[tuple[float, list[list[Segment]]]], title: str) -> str:
    """Draw the frames one after the other, in a loop."""
    columns = max(sum(cell_len(part.text) for part in line) for _, lines in frames for line in lines)
    rows = max(len(lines) for _, lines in frames)
    width, height = columns * CELL_WIDTH + 2 * MARGIN, rows * LINE_HEIGHT + 2 * MARGIN + BAR
    stored: dict[str, int] = {}
    groups: list[str] = []
    total = sum(seconds for seconds, _ in frames)
    styles: list[str] = []
    at = 0.0
    for number, (seconds, lines) in enumerate(frames):
        uses = []
        for row, line in enumerate(lines):
            drawn = _line(line)
            if drawn:
                name = stored.setdefault(drawn, len(stored))
                uses.append(f'<use href="#l{name}" y="{row * LINE_HEIGHT}"/>')
        groups.append(f'<g class="f f{number}">{"".join(uses)}</g>')
        first, last = at / total * 100, (at + seconds) / total * 100
        styles.append(
            f"@keyframes k{number}{{0%,{max(first - 0.01, 0):.3f}%{{visibility:{_seen(number == 0)}}}"
            f"{first:.3f}%,{last - 0.01:.3f}%{{visibility:visible}}{last:.3f}%,100%{{visibility:hidden}}}}"
            f".f{number}{{animation:k{number} {total:.2f}s step-end infinite}}"
        )
        at += seconds
    still = "@media (prefers-reduced-motion:reduce){.f{animation:none}.f0{visibility:visible}}"
    font = "font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace"
    defs = "".join(f'<g id="l{number}">{drawn}</g>' for drawn, number in stored.items())
    dots = "".join(
        f'<circle cx="{18 + 18 * n}" cy="{BAR / 2:g}" r="5" fill="{colour}"/>'
        for n, colour in enumerate(("#f47067", "#d4a72c", "#57ab5a"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{html.escape(title)}">\n'
        f"<style>text{{{font};font-size:{FONT_SIZE}px;white-space:pre}}.f{{visibility:hidden}}{''.join(styles)}{still}"
        f"</style>\n<defs>{defs}</defs>\n"
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{BACKGROUND}"/>'
        f'<path d="M0 {BAR}V8a8 8 0 0 1 8-8h{width - 16:g}a8 8 0 0 1 8 8v{BAR - 8}z" fill="{BAR_COLOUR}"/>{dots}\n'
        f'<g transform="translate({MARGIN} {BAR + MARGIN})">' + "\n".join(groups) + "</g>\n</svg>\n"
    )


def _seen(is_seen: bool) -> str:
    return "visible" if is_seen else "hidden"


def _line(segments: Sequence[Segment]) -> str:
    """Draw one line: backgrounds, then text. Neighbours with the same look are one element."""
    boxes: list[str] = []
    texts: list[str] = []
    column = 0
    for text, style, _ in segments:
        cells = cell_len(text)
        x, span = column * CELL_WIDTH, cells * CELL_WIDTH
        column += cells
        back = style.bgcolor.get_truecolor().hex if style and style.bgcolor else BACKGROUND
        fore = style.color.get_truecolor().hex if style and style.color else FOREGROUND
        if back != BACKGROUND:
            boxes.append(f'<rect x="{x:.1f}" width="{span:.1f}" height="{LINE_HEIGHT}" fill="{back}"/>')
        if not text.strip():
            continue
        looks = _looks(style) if style else ""
        bare = text.rstrip()
        x += (cell_len(text) - cell_len(text.lstrip())) * CELL_WIDTH
        bare = bare.lstrip()
        length = f'textLength="{cell_len(bare) * CELL_WIDTH:.1f}"'
        place = f'x="{x:.1f}" y="{LINE_HEIGHT - 5}" {length}'
        texts.append(f'<text {place} fill="{fore}"{looks}>{html.escape(bare)}</text>')
    return "".join([*boxes, *texts])


def _looks(style: Style) -> str:
    looks = ' font-weight="bold"' if style.bold else ""
    looks += ' font-style="italic"' if style.italic else ""
    lines = {"line-through": style.strike, "underline": style.underline}
    decoration = " ".join(name for name, is_on in lines.items() if is_on)
    return f'{looks} text-decoration="{decoration}"' if decoration else looks
