"""Read the Link header (RFC 8288). Pure."""

from __future__ import annotations

import re

from inforadar.urls import canonical_or_none

MAX_LINKS = 50
MAX_HEADER_CHARACTERS = 16_384
_LINK = re.compile(r"<([^<>]*)>((?:\s*;\s*[\w!#$%&'*+.^`|~-]+\s*(?:=\s*(?:\"[^\"]*\"|[^\s\",;]*))?)*)")
_RELATION = re.compile(r";\s*rel\s*=\s*(?:\"([^\"]*)\"|([^\s\",;]*))", re.IGNORECASE)
_ANCHOR = re.compile(r";\s*anchor\s*=", re.IGNORECASE)


def find_links(header: str, relation: str, base: str) -> list[str]:
    """The targets of links with this relation, absolute and in their order; a link about another document is none."""
    found: list[str] = []
    for match in list(_LINK.finditer(header[:MAX_HEADER_CHARACTERS]))[:MAX_LINKS]:
        given = _RELATION.search(match[2])
        if given is None or _ANCHOR.search(match[2]):
            continue
        relations = (given[1] if given[1] is not None else given[2]).casefold().split()
        url = canonical_or_none(match[1], base) if relation in relations else None
        if url is not None:
            found.append(url)
    return found
