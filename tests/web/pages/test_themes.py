"""The page in every theme: axe finds nothing, not even advice."""

from __future__ import annotations

import pytest

from tests.support.faces.browser import Site, no_axe_violations_in_any_theme, site
from tests.support.faces.furnished import TITLES, furnish

__all__ = ["site"]

VIEWS = ("/?q=minister", "/feeds", "/statistics", "/settings", "/account", "/rules")
"""Those with colours of their own; the tests of each page look at it in the theme that it opens in."""


@pytest.mark.asyncio(loop_scope="session")
async def test_axe_finds_nothing_in_any_theme(site: Site) -> None:
    items = await furnish(site.newsroom)
    page = await site.open("/", admin=True)
    item = items[TITLES["BBC"][0]]
    own = (f"/item/{item.id}", f"/item/{item.id}/history")
    for path in (*VIEWS, *own):
        await page.goto(f"{site.base}{path}")
        await no_axe_violations_in_any_theme(page)
