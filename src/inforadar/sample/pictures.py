"""Draw the pictures of the sample stories: abstract landscapes, each generated from its story's slug.

SVG needs no image library, takes a kilobyte each and is sharp at any size.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

WIDTH, HEIGHT = 960, 540

_PALETTES = (
    ("#12324a", "#1f5673", "#78a9b8", "#e8d9b5", "#d9764a"),
    ("#2b2440", "#5b3b63", "#a6708f", "#f0cfc0", "#f2a65a"),
    ("#20342a", "#4c6b22", "#9db66b", "#f1ead2", "#c8553d"),
    ("#3a2a1d", "#8a5a00", "#d9a441", "#f6ecd6", "#4f7c85"),
    ("#1d2733", "#3f5e78", "#9fb6c6", "#f3f1ea", "#b3475a"),
)


def picture_url(slug: str, base: str) -> str:
    return f"{base}/images/{slug}.svg"


def render_picture(slug: str) -> bytes:
    """Draw hills under a sky with a disc; the slug determines shapes and colours."""
    dice = Random(slug)
    dark, deep, middle, light, accent = dice.choice(_PALETTES)
    x, y, radius = dice.randint(160, WIDTH - 160), dice.randint(110, 230), dice.randint(44, 110)
    shapes = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{light}"/>',
        f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{accent}"/>',
        *(_ring(dice, middle) for _ in range(dice.randint(1, 3))),
        _hill(dice, 300, middle, 0.75),
        _hill(dice, 370, deep, 0.9),
        _hill(dice, 450, dark, 1),
    ]
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(shapes)}</svg>'.encode()


def _ring(dice: Random, colour: str) -> str:
    x, y, radius = dice.randint(0, WIDTH), dice.randint(40, 260), dice.randint(60, 190)
    line = f'fill="none" stroke="{colour}" stroke-width="2" opacity="0.5"'
    return f'<circle cx="{x}" cy="{y}" r="{radius}" {line}/>'


def _hill(dice: Random, height: int, colour: str, opacity: float) -> str:
    step = WIDTH // 4
    points = [height + dice.randint(-60, 60) for _ in range(5)]
    path = f"M0 {points[0]}"
    for place, (here, there) in enumerate(pairwise(points)):
        middle = place * step + step // 2
        path += f" C{middle} {here} {middle} {there} {(place + 1) * step} {there}"
    return f'<path d="{path} V{HEIGHT} H0 Z" fill="{colour}" opacity="{opacity}"/>'
