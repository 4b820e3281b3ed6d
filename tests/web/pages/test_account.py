"""The account page."""

from __future__ import annotations

import aiohttp

from inforadar.actions.people.tokens import begin_session
from inforadar.config import Settings
from inforadar.model.person import FIRST_PERSON
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.person import Person

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


async def test_sessions_are_named_by_their_browsers(
    newsroom: Newsroom, web: aiohttp.ClientSession, web_settings: Settings
) -> None:
    await begin_session(newsroom.database, FIRST_PERSON, FIREFOX)
    person = Person(web, web_settings)
    await person.log_in()
    page = await person.get("/account")
    assert f'<td title="{FIREFOX}">Firefox on Linux</td>' in page.text
