"""Check what people enter about a feed: names, time zones, domains, and passwords inside URLs."""

from __future__ import annotations

import base64
import re
from typing import Any
from urllib.parse import unquote, urlsplit

from inforadar.errors import InvalidUrlError, UsageError
from inforadar.model.zone import zone_named
from inforadar.urls import UNREADABLE, with_scheme

MAX_NAME_CHARS = 200
"""Maximum length of a name that a person gives to something."""
_DOMAIN = re.compile(r"[^\s/:@?#]{1,253}")


def check_names(**names: object) -> None:
    """Refuse names that are blank or too long; None means not given."""
    for what, name in names.items():
        if name is not None and not 0 < len(str(name).strip()) <= len(str(name)) <= MAX_NAME_CHARS:
            raise UsageError(f"The {what} must have 1 to {MAX_NAME_CHARS} characters, and not only spaces.")


def parse_names(**names: Any) -> dict[str, Any]:
    """Return names as they are stored, without spaces around them; refuse what `check_names` refuses."""
    check_names(**names)
    return {what: name.strip() if isinstance(name, str) else name for what, name in names.items()}


def parse_timezone(name: object) -> str | None:
    """Return the name of the time zone that a person entered, None for UTC; refuse an unknown one."""
    given = str(name or "").strip()
    zone_named(given)
    return given or None


def parse_domain(domain: str | None) -> str | None:
    """Return the root domain that a person entered, in lower case; refuse what is not a domain. None stays None."""
    name = None if domain is None else domain.strip().lower()
    if name is not None and not _DOMAIN.fullmatch(name):
        raise UsageError(f"{domain!r} is not a domain. It should look like example.com.")
    return name


def split_credentials(url: str) -> tuple[str, dict[str, str]]:
    """Return the URL without user and password, and the header that replaces them: lists of feeds stay free of them."""
    url = with_scheme(url)
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
    """The value of an `Authorization` header for HTTP Basic authentication."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
