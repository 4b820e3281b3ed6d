"""Forms of our own pages: bounded in size, with field values stripped of surrounding white space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from inforadar.actions.feed_input import check_names
from inforadar.errors import UsageError
from inforadar.web.http.bodies import read_body
from inforadar.web.http.multipart import FORM_DATA, parse_multipart

MAX_FORM_BYTES = 64 * 1024
MAX_FIELDS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    fields: Mapping[str, Sequence[str]]
    files: Mapping[str, bytes] = field(default_factory=dict)
    """The raw bytes; only in a multipart form."""

    def text(self, name: str) -> str | None:
        """Return the first non-blank value, stripped; `None` if there is none."""
        return next((value for given in self.fields.get(name, ()) if (value := given.strip())), None)

    def word(self, name: str) -> str | None:
        """Return the value of a short text field; raise `UsageError` if it is too long."""
        value = self.text(name)
        check_names(**{name: value})
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return all distinct values of a repeated field, such as check boxes."""
        return tuple(dict.fromkeys(value for given in self.fields.get(name, ()) if (value := given.strip())))


async def read_form(request: Request, max_bytes: int = MAX_FORM_BYTES) -> Form:
    body = await read_body(request, max_bytes)
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


def redirect_to(request: Request, path: str) -> Response:
    """Redirect to one of our pages after a change, so that reloading does not repeat the change."""
    return RedirectResponse(f"{request.scope.get('root_path', '')}{path}", 303)
