"""Checking what people enter about a feed: names, time zones, domains, and passwords inside of URLs."""

from __future__ import annotations

import base64
import re
from urllib.parse import unquote, urlsplit

from inforadar.errors import InvalidUrlError, UsageError
from inforadar.model.zone import zone_named
from inforadar.urls import UNREADABLE

MAX_WORD = 200
"""Characters in a name that a person gives to something."""
_DOMAIN = re.compile(r"[^\s/:@?#]{1,253}")


def check_words(**words: object) -> None:
    """Refuse names that nobody could see or read; None: not named."""
    for name, word in words.items():
        if word is not None and not 0 < len(str(word).strip()) <= len(str(word)) <= MAX_WORD:
            raise UsageError(f"The {name} must have 1 to {MAX_WORD} characters, and not only spaces.")


def timezone_given(name: object) -> str | None:
    """The name of a time zone as a person wrote it; refused if there is none of that name. None: UTC."""
    given = str(name or "").strip()
    zone_named(given)
    return given or None


def domain_given(domain: str | None) -> str | None:
    """A root domain as a person wrote it; refused if it is not one. None: none."""
    name = None if domain is None else domain.strip().lower()
    if name is not None and not _DOMAIN.fullmatch(name):
        raise UsageError(f"{domain!r} is not a domain. It should look like example.com.")
    return name


def split_credentials(url: str) -> tuple[str, dict[str, str]]:
    """A URL without its user and password, and the header that says the same: no list of feeds shows them."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise InvalidUrlError(url, UNREADABLE) from None
    if "@" not in parts.netloc:
        return url, {}
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return bare, {"Authorization": basic_authorization(unquote(user), unquote(password))}


def basic_authorization(user: str, password: str) -> str:
    """The value of an `Authorization` header."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
