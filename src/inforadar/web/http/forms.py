"""Forms of our own pages: what they send, bounded, as texts without the white space around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from inforadar.actions.feed_input import check_words
from inforadar.errors import UsageError
from inforadar.web.http.bodies import read_body
from inforadar.web.http.multipart import FORM_DATA, parse_multipart

MAX_FORM = 64 * 1024
MAX_FIELDS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    fields: Mapping[str, Sequence[str]]
    files: Mapping[str, bytes] = field(default_factory=dict)
    """As they came; only in a form that can hold files."""

    def text(self, name: str) -> str | None:
        """What is left of it without white space around it; `None`: nothing."""
        return next((value for given in self.fields.get(name, ()) if (value := given.strip())), None)

    def word(self, name: str) -> str | None:
        """A name that is not too long to be one."""
        value = self.text(name)
        check_words(**{name: value})
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Of a field that is there several times, such as boxes that are ticked."""
        return tuple(dict.fromkeys(value for given in self.fields.get(name, ()) if (value := given.strip())))


async def read_form(request: Request, most: int = MAX_FORM) -> Form:
    body = await read_body(request, most)
    content_type = request.headers.get("content-type", "").encode("latin-1")
    if content_type.startswith(FORM_DATA):
        parts = parse_multipart(body, content_type)
        texts = {
            name: [value.decode("utf-8", "replace") for value in values] for name, values in parts.items()
        }
        return Form(fields=texts, files={name: values[0] for name, values in parts.items()})
    try:
        fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise UsageError("The form has too many fields.") from None
    return Form(fields=fields)


def go(request: Request, path: str) -> Response:
    """To another page of ours, after a change: so that loading it again changes nothing."""
    return RedirectResponse(f"{request.scope.get('root_path', '')}{path}", 303)
