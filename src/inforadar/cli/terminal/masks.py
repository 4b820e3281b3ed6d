"""Secrets do not leave the program: what looks like one is masked in everything that people and logs get to see.

A feed's address may carry a token, and a driver may repeat an address with its password in the text of an error.
Programs get addresses as they are (`--json`, OPML, exports), because a masked one is none.
"""

from __future__ import annotations

import re
from typing import Any

MASK = "***"

_USERINFO = re.compile(r"(?i)(\bhttps?://)[^\s/?#\"'<>]*@")
_SERVER = re.compile(r"(?i)(\b(?!https?:)[a-z][a-z0-9+.-]*://[^\s/?#@:\"'<>]*:)[^\s\"'<>]*@")
"""Of databases and the like: their users are no secret."""
_PARAMETER = re.compile(
    r"(?i)([?&;](?:[\w.-]*(?:token|secret|passw|pwd|api_?key|auth|signature|session|credential)[\w.-]*|key|sig)=)"
    r"[^\s&;#\"'<>`]+"
)
_HEADER = re.compile(
    r"(?i)(\b(?:authorization|cookie|x-api-key)[\"']?\s*[:=]\s*[\"']?(?:basic |bearer )?)[^\s\"',}]+"
)


_SECRET_NAME = re.compile(
    r"(?i)(?:proxy-)?authorization|(?:set-)?cookie|.*(?:password|secret|api[_-]?key|token)"
)


def masked(text: str) -> str:
    """The same without passwords of addresses, parameters that are secrets, and headers that hold credentials."""
    if "://" in text:
        text = _USERINFO.sub(rf"\1{MASK}@", text)
        text = _SERVER.sub(rf"\1{MASK}@", text)
    if "=" in text:
        text = _PARAMETER.sub(rf"\1{MASK}", text)
    return _HEADER.sub(rf"\1{MASK}", text)


def masked_fields(value: Any) -> Any:
    """A log event's fields, however deep."""
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
