from __future__ import annotations

import pytest

from tests.faces.browser import Site, no_axe_violations

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_first_page_welcomes(site: Site) -> None:
    page = await site.open("/")
    await page.get_by_role("heading", name="Welcome").wait_for()
    await no_axe_violations(page)
