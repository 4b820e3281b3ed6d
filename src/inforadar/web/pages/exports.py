"""A list to take along, `/export.csv`, `.md` and `.json`, with the filters of the page; and searches to keep."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.actions.people.accounts import drop_search, keep_search
from inforadar.model.item import Item
from inforadar.stages.publish.addresses import web_address_or_none
from inforadar.stages.publish.dates import rfc3339
from inforadar.stages.publish.text import one_line
from inforadar.store.database import Database
from inforadar.store.items.pages import load_item_page
from inforadar.views.item import escape_markdown, read_item
from inforadar.views.json import item_document
from inforadar.web.api.answers import json_answer
from inforadar.web.http.forms import read_form, redirect_to
from inforadar.web.http.identity import PERSON_SCOPE, person_id_of
from inforadar.web.pages.item_query import Query, parse_query
from inforadar.web.pages.sidebar import SidebarLoader

MAX_EXPORTED = 1000
"""How many items an export has at most: the newest."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings that a spreadsheet would take for a formula."""
COLUMNS = ("title", "neutral_title", "source", "topic", "published_at", "score", "url")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRoutes:
    database: Database
    sidebar: SidebarLoader

    def routes(self) -> list[Route]:
        return [
            Route("/export.{format}", self.export),
            Route("/searches", self.change_search, methods=["POST"]),
        ]

    async def export(self, request: Request) -> Response:
        query = parse_query(request.query_params).first
        wanted = replace(query.filter, person_id=person_id_of(request.scope))
        name = request.path_params["format"]
        if name not in {"csv", "md", "json"}:
            raise HTTPException(404)
        page = await self.database.read(load_item_page, wanted, limit=MAX_EXPORTED)
        if name == "json":
            return json_answer({"items": [item_document(item) for item in page.items]})
        text = csv_text(page.items) if name == "csv" else markdown_text(page.items, _title(query))
        kind = "text/csv" if name == "csv" else "text/markdown"
        headers = {
            "Content-Disposition": f'attachment; filename="articles.{name}"',
            "Cache-Control": "no-store",
        }
        return Response(text, headers=headers, media_type=kind)

    async def change_search(self, request: Request) -> Response:
        """Save the search that is shown, or delete the one that is named, and return to it."""
        form, person = await read_form(request), request.scope[PERSON_SCOPE]
        words = form.text("words") or ""
        if (gone := form.text("drop")) is not None:
            await drop_search(self.database, person.id, gone)
        else:
            await keep_search(self.database, person.id, form.text("name") or words, words)
        self.sidebar.forget()
        return redirect_to(request, parse_query(QueryParams({"q": words})).href)


def _title(query: Query) -> str:
    return query.words or ", ".join((*query.topics, *query.sources)) or "Articles"


def csv_text(items: Sequence[Item]) -> str:
    """The items as a table. A cell that a spreadsheet would take for a formula begins with an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for item in items:
        read = read_item(item)
        row = (
            read.title,
            read.neutral_title or "",
            one_line(item.all_sources),
            one_line(item.all_topics),
            rfc3339(item.published_at),
            "" if item.score is None else f"{item.score:.2f}",
            item.url,
        )
        writer.writerow([f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in row])
    return out.getvalue()


def markdown_text(items: Sequence[Item], title: str) -> str:
    """The items as a list of links. Text from the web is escaped."""
    lines = [f"# {escape_markdown(one_line(title))}", ""]
    for item in items:
        read = read_item(item)
        address = web_address_or_none(item.address)
        name = escape_markdown(read.title)
        link = f"[{name}](<{address.replace('<', '%3C').replace('>', '%3E')}>)" if address else name
        lines.append(
            f"- {link} — {escape_markdown(one_line(item.all_sources))}, {item.published_at:%Y-%m-%d}"
        )
        if read.neutral_title:
            lines.append(f"  {escape_markdown(read.neutral_title)}")
    return "\n".join(lines) + "\n"
