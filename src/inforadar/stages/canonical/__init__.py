"""Extracts the article from a page, or says why there is none. `extract` in `extraction.py` calls in order:

    document/  encoding (bytes to text) ─► noscript, limits (safe to parse?) ─► streamed (parts the page sends later)
               ─► dom (a measured tree)
    metadata/  head (what the page states) ─► fields, published, language, images
    content/   clutter, main_element (find the article) ─► figures, blocks (read it) ─► cleaning ─► walls
               ─► html (the form that is kept), markdown

`walls` runs after `cleaning`, because whether a page is a paywall depends on how much text is left.

`extract` is pure and made to run in a pool of processes that can be killed: bytes in, a value out.

It is imported when it is first used: what shows articles needs only small parts of this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inforadar.stages.canonical.extraction import extract

__all__ = ["extract"]


def __getattr__(name: str) -> Any:
    if name != "extract":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from inforadar.stages.canonical.extraction import extract  # noqa: PLC0415

    return extract
