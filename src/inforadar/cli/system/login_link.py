"""The link that logs the first admin in, once. Shown on a terminal alone: a log may be read by others."""

from __future__ import annotations

from inforadar.actions.people.tokens import make_link
from inforadar.config import Settings
from inforadar.store.database import Database
from inforadar.store.people.queries import load_first_admin


async def login_link(database: Database, settings: Settings) -> str:
    """Make a link for one login of the first admin. Print it in the terminal and nowhere else."""
    admin = await database.read(load_first_admin)
    return f"{settings.web.outer_url}/login/link?code={await make_link(database, admin.id)}"
