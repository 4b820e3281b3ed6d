"""The text of an element: as written if it has no children, else its children written out as HTML."""

from __future__ import annotations

import binascii
import re
from typing import Any

from lxml import etree

_NAMESPACE = re.compile(r'\sxmlns(?::[\w.-]+)?="[^"]*"')
_PREFIXED = re.compile(r"(</?)[A-Za-z_][\w.-]*:(?=[A-Za-z])")
_ITSELF = re.compile(r"<(?:[^>\"']|\"[^\"]*\"|'[^']*')*+>(.*)</[^<>]*>", re.DOTALL)
_XHTML_BOX = re.compile(r"<div>(.*)</div>", re.DOTALL)
_LOOKS_LIKE_HTML = re.compile(r"</[A-Za-z]|/>|<[A-Za-z][^<>]*>|&(?:#?\w+);")


def element_html(element: Any) -> str:
    """The children as HTML: for XHTML content, and for publishers who did not escape theirs."""
    # As a whole, and its own tag cut off: written one by one, each child would repeat every namespace in scope.
    whole = _ITSELF.fullmatch(etree.tostring(element, encoding="unicode", with_tail=False))
    html = _PREFIXED.sub(r"\1", _NAMESPACE.sub("", whole[1])).strip() if whole else ""
    box = _XHTML_BOX.fullmatch(html) if element.get("type") == "xhtml" else None
    return box[1].strip() if box else html


def atom_html(element: Any, text: str) -> str:
    """An Atom text as HTML: the base64 of Atom 0.3 decoded, and what is said to be plain text escaped."""
    if element.get("mode") == "base64":
        try:
            return binascii.a2b_base64(text).decode("utf-8", "replace")
        except binascii.Error:
            return text
    # Many leave out the type and send HTML all the same, so the text decides.
    if (
        element.get("type") in {"text", "text/plain"}
        and not len(element)
        and not _LOOKS_LIKE_HTML.search(text)
    ):
        return _escaped(text)
    return text


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
