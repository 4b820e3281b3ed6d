"""Forms with files in them, as browsers send them (RFC 7578). Pure; the body was read whole, and bounded, before.

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
_BROKEN = "The form came broken. Load the page again, then repeat what you did."


def parse_multipart(body: bytes, content_type: bytes) -> dict[str, list[bytes]]:
    """What each field holds. An empty part, as of a file that was not chosen, is an empty value."""
    line = _boundary_line(content_type)
    # The first boundary has no line end before it, all others do.
    parts = (b"\r\n" + body).split(b"\r\n" + line) if line else []
    if len(parts) < 2 or len(parts) > MAX_PARTS or not parts[-1].startswith(b"--"):
        raise UsageError(_BROKEN)
    fields: dict[str, list[bytes]] = {}
    for part in parts[1:-1]:
        name, value = _part(part)
        fields.setdefault(name, []).append(value)
    return fields


def first_field(body: bytes, content_type: bytes, name: str) -> str:
    """The value of the first field, if it is that one: known before the rest has come. '' if it is not."""
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
        raise UsageError(_BROKEN)
    header = Message()
    for line in head.decode("utf-8", "replace").split("\r\n"):
        key, colon, text = line.partition(":")
        if colon and key.strip().lower() == "content-disposition":
            header["content-disposition"] = text.strip()
    name = header.get_param("name", header="content-disposition")
    if not isinstance(name, str):
        raise UsageError(_BROKEN)
    return name, value


def _boundary_line(content_type: bytes) -> bytes:
    """b'' if the header names none."""
    header = Message()
    header["content-type"] = content_type.decode("latin-1")
    boundary = header.get_param("boundary")
    return b"--" + boundary.encode("latin-1", "replace") if isinstance(boundary, str) and boundary else b""
