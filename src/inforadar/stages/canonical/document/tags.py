"""Finds the tags of a page as the HTML standard tokenizes them, without building a tree.

If a comment, a script or an attribute ended elsewhere here than in the parser, a page could hide tags from this
check in text that looks harmless. All patterns are possessive, so a page cannot make them backtrack: the pass is
linear. Case is ignored only for names, because ignoring it everywhere would slow down every character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# White space as the standard defines it, which is less than Python's.
_S = r" \t\n\f\r"
_VALUE = rf"""(?:"[^"]*+"?+|'[^']*+'?+|[^{_S}>"'][^{_S}>]*+)"""
ATTRIBUTE = re.compile(rf"[^{_S}/>][^{_S}/>=]*+(?:[{_S}]*+=[{_S}]*+{_VALUE}?+)?+")
# `<!-->` and `<!--->` are complete comments, but `<!--!>` only starts one.
_COMMENT = r"!--(?:-?+>|(?:-?+!>)?+[^>]*+(?:(?<!--)(?<!--!)>[^>]*+)*+)"
# `<!x …>`, `<?xml …>` and `</3 …>` are comments too, up to the first `>`.
_BOGUS = r"[!?][^>]*+|/[^a-zA-Z>][^>]*+"
_TOKEN = re.compile(
    rf"<(?:(/?[a-zA-Z][^{_S}/>]*+)(?:[{_S}/]*+{ATTRIBUTE.pattern})*+[{_S}/]*+(>?+)|{_COMMENT}|{_BOGUS})"
)

# A script that contains `<!-- <script>` ends at the second `</script>` after it.
_END_OF_SCRIPT = rf"/(?ai:script)[{_S}/>]"
_SCRIPT_IN_SCRIPT = (
    rf"<(?ai:script)(?=[{_S}/>])[^<-]*+(?:(?:-(?!->)|<(?!{_END_OF_SCRIPT}))[^<-]*+)*+(?:<{_END_OF_SCRIPT})?+"
)
_ESCAPED = rf"!--(?:-?+>|(?:[^<-]++|-(?!->)|{_SCRIPT_IN_SCRIPT}|<(?!{_END_OF_SCRIPT}))*+)"
_RAW = {
    "script": re.compile(rf"[^<]*+(?:<(?:{_ESCAPED}|(?!{_END_OF_SCRIPT}))[^<]*+)*+"),
    **{
        name: re.compile(rf"[^<]*+(?:<(?!/(?ai:{name})[{_S}/>])[^<]*+)*+")
        for name in ("style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
    },
}
"""Elements whose content is text up to their end tag, with the pattern of that content."""
_FOREIGN = frozenset(("svg", "math"))


Tag = tuple[str, int, int]
"""A tag's lower-case name, with a leading slash for an end tag, and its start and end."""


def read_tags(html: str) -> Iterator[Tag]:
    """Yield each tag of a page."""
    next_token = _TOKEN.search
    foreign = 0
    at = 0
    while token := next_token(html, at):
        start, at = token.span()
        name, is_closed = token.groups()
        if not is_closed:
            continue
        # ASCII names only: `lower` would turn the Kelvin sign into a k.
        name = name.lower() if name.isascii() else name
        yield name, start, at
        if name in _RAW:
            # In SVG and MathML, title and script are ordinary elements.
            content = None if foreign else _RAW[name].match(html, at)
            at = content.end() if content else at
        elif name in _FOREIGN:
            foreign += html[at - 2] != "/"
        elif foreign and name[1:] in _FOREIGN:
            foreign -= 1
