"""Mask secrets in everything that people and logs get to see.

A feed's URL may contain a token, and a driver may repeat a URL with its password in an error message. Output for
programs (`--json`, OPML, exports) keeps URLs as they are, because a masked URL does not work; over HTTP only for people
with an account (`web/http/secret_mask.py`).
"""

from __future__ import annotations

import re
from typing import Any

MASK = "***"

_USERINFO = re.compile(r"(?i)(\bhttps?://)([^\s/?#\"'<>]*)@")
_SERVER = re.compile(r"(?i)(\b(?!https?:)[a-z][a-z0-9+.-]*://[^\s/?#@:\"'<>]*:)[^\s\"'<>]*@")
"""Passwords in the URLs of databases and the like; their user names are not secret."""
_PARAMETER = re.compile(
    r"(?i)([?&;](?:[\w.-]*(?:token|secret|passw|pwd|api_?key|auth|signature|session|credential)[\w.-]*|key|sig)=)"
    r"([^\s&;#\"'<>`]+)"
)
_HEADER = re.compile(
    r"(?i)(\b(?:authorization|cookie|x-api-key)[\"']?\s*[:=]\s*[\"']?(?:basic |bearer )?)[^\s\"',}]+"
)


_SECRET_NAME = re.compile(
    r"(?i)(?:proxy-)?authorization|(?:set-)?cookie|.*(?:password|secret|api[_-]?key|token)"
)


def masked(text: str) -> str:
    """Mask passwords in URLs, secret query parameters, and headers with credentials."""
    if "://" in text:
        text = _USERINFO.sub(rf"\1{MASK}@", text)
        text = _SERVER.sub(rf"\1{MASK}@", text)
    if "=" in text:
        text = _PARAMETER.sub(rf"\1{MASK}", text)
    return _HEADER.sub(rf"\1{MASK}", text)


def secrets_of(url: str) -> list[tuple[str, str]]:
    """The secrets in a URL: what stands before each, such as `token=`, and the secret itself."""
    return [
        (before.lstrip("?&;") if before[0] in "?&;" else "", secret)
        for pattern in (_USERINFO, _PARAMETER)
        for before, secret in pattern.findall(url)
        if secret
    ]


def masked_fields(value: Any) -> Any:
    """Mask the fields of a log event, at any depth."""
    match value:
        case str():
            return masked(value)
        case dict():
            return {
                key: MASK if _SECRET_NAME.fullmatch(str(key)) else masked_fields(inner)
                for key, inner in value.items()
            }
        case list() | tuple():
            return [masked_fields(inner) for inner in value]
        case _:
            return value
