"""Multipart forms with files, as browsers send them (RFC 7578). Pure; the caller has read the bounded body.

--BOUNDARY
Content-Disposition: form-data; name="csrf"

1a2b…
--BOUNDARY
Content-Disposition: form-data; name="file"; filename="feeds.opml"
…
--BOUNDARY--
"""

from __future__ import annotations

from email.message import Message

from inforadar.errors import UsageError

FORM_DATA = b"multipart/form-data"
MAX_PARTS = 100
_MALFORMED = "The form is malformed. Reload the page and try again."


def parse_multipart(body: bytes, content_type: bytes) -> dict[str, list[bytes]]:
    """Return the values of each field. An empty part, such as a file that was not chosen, is an empty value."""
    line = _boundary_line(content_type)
    # Every boundary except the first follows a line break.
    parts = (b"\r\n" + body).split(b"\r\n" + line) if line else []
    if len(parts) < 2 or len(parts) > MAX_PARTS or not parts[-1].startswith(b"--"):
        raise UsageError(_MALFORMED)
    fields: dict[str, list[bytes]] = {}
    for part in parts[1:-1]:
        name, value = _part(part)
        fields.setdefault(name, []).append(value)
    return fields


def first_field(body: bytes, content_type: bytes, name: str) -> str:
    """Return the first field's value if it has this name, otherwise ''. Works before the rest of the body arrives."""
    line = _boundary_line(content_type)
    if not line or not body.startswith(line):
        return ""
    part, end, _ = body[len(line) :].partition(b"\r\n" + line)
    if not end:
        return ""
    try:
        found, value = _part(part)
    except UsageError:
        return ""
    return value.decode("utf-8", "replace") if found == name else ""


def _part(part: bytes) -> tuple[str, bytes]:
    head, end, value = part.partition(b"\r\n\r\n")
    if not end:
        raise UsageError(_MALFORMED)
    header = Message()
    for line in head.decode("utf-8", "replace").split("\r\n"):
        key, colon, text = line.partition(":")
        if colon and key.strip().lower() == "content-disposition":
            header["content-disposition"] = text.strip()
    name = header.get_param("name", header="content-disposition")
    if not isinstance(name, str):
        raise UsageError(_MALFORMED)
    return name, value


def _boundary_line(content_type: bytes) -> bytes:
    """Return the boundary line, or b'' if the header names no boundary."""
    header = Message()
    header["content-type"] = content_type.decode("latin-1")
    boundary = header.get_param("boundary")
    return b"--" + boundary.encode("latin-1", "replace") if isinstance(boundary, str) and boundary else b""
