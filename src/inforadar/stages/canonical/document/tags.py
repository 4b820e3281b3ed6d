"""The tags of a page, cut out of its text as the HTML standard cuts them, without building a tree.

Whoever reads a comment, a script or an attribute to another end than the parser does can be shown harmless text
where the parser sees tags. All patterns are possessive, so a page cannot make them go back over what they read:
the pass is linear. Case is ignored for names only, because each character would pay for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# White space of the standard, which is less than Python's.
_S = r" \t\n\f\r"
_VALUE = rf"""(?:"[^"]*+"?+|'[^']*+'?+|[^{_S}>"'][^{_S}>]*+)"""
ATTRIBUTE = re.compile(rf"[^{_S}/>][^{_S}/>=]*+(?:[{_S}]*+=[{_S}]*+{_VALUE}?+)?+")
# `<!-->` and `<!--->` are whole comments, but `<!--!>` is the beginning of one.
_COMMENT = r"!--(?:-?+>|(?:-?+!>)?+[^>]*+(?:(?<!--)(?<!--!)>[^>]*+)*+)"
# `<!x …>`, `<?xml …>`, `</3 …>`: comments too, up to the first bracket.
_BOGUS = r"[!?][^>]*+|/[^a-zA-Z>][^>]*+"
_TOKEN = re.compile(
    rf"<(?:(/?[a-zA-Z][^{_S}/>]*+)(?:[{_S}/]*+{ATTRIBUTE.pattern})*+[{_S}/]*+(>?+)|{_COMMENT}|{_BOGUS})"
)

# A script that holds `<!-- <script>` ends at the second `</script>` from there.
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
"""Elements whose content is text up to their end tag, and that content."""
_FOREIGN = frozenset(("svg", "math"))


def read_tags(html: str) -> Iterator[tuple[str, int, int]]:
    """Name in lower case, with a slash before it if the tag is an end tag, and where it begins and ends."""
    next_token = _TOKEN.search
    foreign = 0
    at = 0
    while token := next_token(html, at):
        start, at = token.span()
        name, is_closed = token.groups()
        if not is_closed:
            continue
        # The Kelvin sign is no k.
        name = name.lower() if name.isascii() else name
        yield name, start, at
        if name in _RAW:
            # In SVG and MathML a title or a script is an element like any other.
            content = None if foreign else _RAW[name].match(html, at)
            at = content.end() if content else at
        elif name in _FOREIGN:
            foreign += html[at - 2] != "/"
        elif foreign and name[1:] in _FOREIGN:
            foreign -= 1
