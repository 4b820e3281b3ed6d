"""`/health`: liveness and readiness, for people, probes and load balancers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar import __version__
from inforadar.errors import StoreError
from inforadar.store.database import Database
from inforadar.store.upkeep.revision import require_current

DATABASE_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthRoutes:
    database: Database

    def routes(self) -> list[Route]:
        return [
            Route("/health", self.ready),
            Route("/health/ready", self.ready),
            Route("/health/live", self.live),
        ]

    async def live(self, request: Request) -> Response:
        return _json(200, {"status": "ok", "version": __version__})

    async def ready(self, request: Request) -> Response:
        problem = await self._database_problem()
        status = "ok" if problem is None else "failing"
        body = {"status": status, "version": __version__, "database": problem or "ok"}
        return _json(200 if problem is None else 503, body)

    async def _database_problem(self) -> str | None:
        """Describe the problem with the database in a sentence; `None` if there is none."""
        try:
            async with asyncio.timeout(DATABASE_TIMEOUT_S):
                await require_current(self.database)
        except TimeoutError:
            return f"The database {self.database.name} did not answer within {DATABASE_TIMEOUT_S:g} seconds."
        except StoreError as fault:
            return str(fault)
        return None


def _json(status: int, body: dict[str, str]) -> Response:
    return Response(
        msgspec.json.encode(body), status, {"Cache-Control": "no-store"}, media_type="application/json"
    )
