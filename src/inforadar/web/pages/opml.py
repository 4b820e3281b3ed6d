"""`/opml`: import a list of feeds, with a report on each, and export it."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.config import FetcherSettings
from inforadar.errors import ParseError
from inforadar.model.opml import MAX_OPML_BYTES
from inforadar.model.subscription import Imported
from inforadar.store.database import Database
from inforadar.translations import gettext as _
from inforadar.web.http.forms import MAX_FORM_BYTES, read_form
from inforadar.web.http.routing import resource
from inforadar.web.pages.templating import Pages

MAX_SHOWN_LINES = 200
"""Maximum lines of a report: a list may have thousands of feeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpmlRoutes:
    database: Database
    fetcher: FetcherSettings
    pages: Pages

    def routes(self) -> list[Route]:
        return [resource("/opml", get=self.show, post=self.import_list)]

    async def show(self, request: Request) -> Response:
        return self._show(request)

    async def import_list(self, request: Request) -> Response:
        """Import an uploaded file or pasted text."""
        from inforadar.actions.opml_import import import_opml  # noqa: PLC0415 - imports lxml, which little needs

        form = await read_form(request, MAX_OPML_BYTES + MAX_FORM_BYTES)
        data = form.files.get("file") or (form.text("text") or "").encode()
        if not data.strip():
            return self._show(request, 422, fault=_("Choose a file, or paste its text."))
        try:
            imported = await import_opml(self.database, self.fetcher, data)
        except ParseError as fault:
            return self._show(request, 422, fault=str(fault))
        return self._show(request, imported=imported)

    def _show(
        self,
        request: Request,
        status: int = 200,
        *,
        imported: Imported | None = None,
        fault: str | None = None,
    ) -> Response:
        return self.pages.render(
            request, "opml.html", status, imported=imported, fault=fault, shown=MAX_SHOWN_LINES, broken=0
        )
