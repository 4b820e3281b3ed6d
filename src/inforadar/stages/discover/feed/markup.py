"""Get the text of an element that may contain markup: its children as HTML, or its text as written."""

from __future__ import annotations

import binascii
import re
from typing import Any

from lxml import etree

_NAMESPACE = re.compile(r'\sxmlns(?::[\w.-]+)?="[^"]*"')
_PREFIXED = re.compile(r"(</?)[A-Za-z_][\w.-]*:(?=[A-Za-z])")
_OUTER_TAG = re.compile(r"<(?:[^>\"']|\"[^\"]*\"|'[^']*')*+>(.*)</[^<>]*>", re.DOTALL)
_XHTML_WRAPPER = re.compile(r"<div>(.*)</div>", re.DOTALL)
_LOOKS_LIKE_HTML = re.compile(r"</[A-Za-z]|/>|<[A-Za-z][^<>]*>|&(?:#?\w+);")


def element_html(element: Any) -> str:
    """Serialize the children as HTML: for XHTML content, and for publishers who did not escape their HTML."""
    # The element is serialized whole and its own tag cut off: serialized one by one, each child would repeat
    # every namespace in scope.
    whole = _OUTER_TAG.fullmatch(etree.tostring(element, encoding="unicode", with_tail=False))
    html = _PREFIXED.sub(r"\1", _NAMESPACE.sub("", whole[1])).strip() if whole else ""
    wrapper = _XHTML_WRAPPER.fullmatch(html) if element.get("type") == "xhtml" else None
    return wrapper[1].strip() if wrapper else html


def atom_html(element: Any, text: str) -> str:
    """Convert an Atom text to HTML: decode the base64 of Atom 0.3, escape text declared as plain."""
    if element.get("mode") == "base64":
        try:
            return binascii.a2b_base64(text).decode("utf-8", "replace")
        except binascii.Error:
            return text
    # Many publishers send HTML whatever the type says, so the text itself decides.
    if (
        element.get("type") in {"text", "text/plain"}
        and not len(element)
        and not _LOOKS_LIKE_HTML.search(text)
    ):
        return _escaped(text)
    return text


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
