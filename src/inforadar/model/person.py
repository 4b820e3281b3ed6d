"""People: accounts over one collection of feeds, and the secrets that open them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NewType
from uuid import UUID

PersonId = NewType("PersonId", UUID)
TokenId = NewType("TokenId", UUID)

FIRST_PERSON = PersonId(UUID("00000000-0000-7000-8000-000000000001"))
"""The person of a fresh installation, and the owner of all marks from before there were people."""
MAX_NAME_CHARACTERS = 64
ALONG_SETTING, APPS_SETTING = "page_along", "page_apps"
"""The names of settings that also matter outside of the page."""


class Role(StrEnum):
    ADMIN = "admin"
    """Changes feeds and people."""
    READER = "reader"
    """Reads and marks."""


class Along(StrEnum):
    """The items marked as read along with an article that a person reads."""

    ARTICLE = "article"
    """Nothing else."""
    COPIES = "copies"
    """The same text elsewhere."""
    STORY = "story"
    """All that tell of the same event."""

    @staticmethod
    def of(settings: Mapping[str, Any]) -> Along:
        """Return a person's choice; an unknown value falls back to the default."""
        chosen = settings.get(ALONG_SETTING)
        return Along(chosen) if chosen in set(Along) else Along.COPIES


class TokenKind(StrEnum):
    """Kinds of random secrets that a person has, by the doors that they open."""

    APP = "app"
    """A password for an app: reading and marking, and for an admin also changing feeds."""
    FEED = "feed"
    """Feeds, by `token=` in their address."""
    LINK = "link"
    """One login, then it is gone."""
    SESSION = "session"
    """The page, in one browser."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    id: PersonId
    name: str
    role: Role
    created_at: datetime
    settings: Mapping[str, Any] = field(default_factory=dict)
    has_password: bool = False

    @property
    def joined_at(self) -> datetime | None:
        """When the account was made. Unknown for the first person, whose row has a fixed time from its migration."""
        return None if self.id == FIRST_PERSON else self.created_at

    @property
    def is_admin(self) -> bool:
        return self.role is Role.ADMIN

    @property
    def has_neutral_titles(self) -> bool:
        """Whether apps show the neutral title first."""
        return self.settings.get("titles") == "neutral"

    @property
    def reads_stories(self) -> bool:
        """Whether apps show one entry for each event instead of all articles."""
        return self.settings.get(APPS_SETTING) == "stories"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A secret of a person, without the secret: only its hash is stored."""

    id: TokenId
    person_id: PersonId
    kind: TokenKind
    label: str
    created_at: datetime
    used_at: datetime | None
    expires_at: datetime | None
