"""Two kinds of plots as hand-written SVG: bars, and lines over logarithmic axes.

They follow the reader's light or dark theme through a media query and need no library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import floor, log10

WIDTH, LEFT, RIGHT, TOP = 720, 210, 90, 46
ROW, BAR = 24, 15
_COLOURS = 5
_STYLE = """<style>
text{font:13px system-ui,sans-serif;fill:#24292f}.t{font-weight:600;font-size:14px}.m{fill:#57606a;font-size:12px}
.g{stroke:#d0d7de}.p{fill:none;stroke-width:2}.goal{stroke:#57606a;stroke-dasharray:4 4}
.c0{fill:#0969da;stroke:#0969da}.c1{fill:#bc4c00;stroke:#bc4c00}.c2{fill:#1a7f37;stroke:#1a7f37}
.c3{fill:#8250df;stroke:#8250df}.c4{fill:#6e7781;stroke:#6e7781}.p{fill:none}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.m{fill:#9198a1}.g{stroke:#3d444d}.goal{stroke:#9198a1}
.c0{fill:#4493f8;stroke:#4493f8}.c1{fill:#f0883e;stroke:#f0883e}.c2{fill:#3fb950;stroke:#3fb950}
.c3{fill:#ab7df8;stroke:#ab7df8}.c4{fill:#9198a1;stroke:#9198a1}.p{fill:none}}
</style>"""


def number_text(value: float) -> str:
    """Format a number with three significant digits and thousands separators."""
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    digits = max(2 - floor(log10(abs(value))), 0)
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:.0f}"


def render_bars(title: str, unit: str, rows: Sequence[tuple[str, float, int]]) -> str:
    """Draw bars; each row is a name, a value and the number of a colour. The longest bar fills the width."""
    most = max((value for _, value, _ in rows), default=0.0) or 1.0
    height = TOP + ROW * len(rows) + 12
    room = WIDTH - LEFT - RIGHT
    parts = [
        f'<text class="t" x="8" y="20">{escape(title)}</text>',
        f'<text class="m" x="8" y="37">{unit}</text>',
    ]
    for index, (name, value, colour) in enumerate(rows):
        y = TOP + ROW * index
        length = max(value / most * room, 1.0)
        parts.append(f'<text x="{LEFT - 8}" y="{y + BAR - 3}" text-anchor="end">{escape(name)}</text>')
        parts.append(
            f'<rect class="c{colour % _COLOURS}" x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" rx="2"/>'
        )
        parts.append(
            f'<text class="m" x="{LEFT + length + 6:.1f}" y="{y + BAR - 3}">{number_text(value)}</text>'
        )
    return _document(height, title, parts)


def render_lines(
    title: str,
    unit: str,
    series: Mapping[str, Sequence[tuple[float, float]]],
    *,
    goal: float | None = None,
) -> str:
    """Draw lines with both axes logarithmic."""
    points = [point for line in series.values() for point in line if point[0] > 0 and point[1] > 0]
    height, left, right, bottom = 320, 60, 170, 40
    parts = [
        f'<text class="t" x="8" y="20">{escape(title)}</text>',
        f'<text class="m" x="8" y="37">{unit}</text>',
    ]
    if not points:
        return _document(height, title, parts)
    low_x, high_x = (f(x for x, _ in points) for f in (min, max))
    values = [y for _, y in points] + ([goal] if goal else [])
    low_y, high_y = 10 ** floor(log10(min(values))), max(values) * 1.3

    def at_x(x: float) -> float:
        span = log10(high_x / low_x) or 1.0
        return left + log10(x / low_x) / span * (WIDTH - left - right)

    def at_y(y: float) -> float:
        return (
            height - bottom - log10(max(y, low_y) / low_y) / log10(high_y / low_y) * (height - bottom - TOP)
        )

    tick = low_y
    while tick <= high_y:
        y = at_y(tick)
        parts.append(f'<line class="g" x1="{left}" x2="{WIDTH - right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(
            f'<text class="m" x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{number_text(tick)}</text>'
        )
        tick *= 10
    parts += [
        f'<text class="m" x="{at_x(x):.1f}" y="{height - 16}" text-anchor="middle">{number_text(x)}</text>'
        for x in sorted({x for x, _ in points})
    ]
    if goal:
        y = at_y(goal)
        parts.append(f'<line class="goal" x1="{left}" x2="{WIDTH - right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(
            f'<text class="m" x="{WIDTH - right + 6}" y="{y + 4:.1f}">goal {number_text(goal)}</text>'
        )
    for index, (name, line) in enumerate(series.items()):
        colour = f"c{index % _COLOURS}"
        path = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in line if x > 0)
        parts.append(f'<polyline class="{colour} p" points="{path}"/>')
        parts += [f'<circle class="{colour}" cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="3"/>' for x, y in line]
        y = TOP + 18 * index + 8
        parts.append(f'<rect class="{colour}" x="{WIDTH - right + 14}" y="{y - 9}" width="10" height="10"/>')
        parts.append(f'<text class="m" x="{WIDTH - right + 30}" y="{y}">{escape(name)}</text>')
    return _document(height, title, parts)


def _document(height: int, title: str, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
    return "\n".join([head, f"<title>{escape(title)}</title>", _STYLE, *parts, "</svg>", ""])
