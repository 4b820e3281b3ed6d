"""`/rules`: one's rules, tried before they are saved; `/alerts`: feeds that need attention; `/channels`: ways out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.actions.rules.channels import add_channel, remove_channel, resend_message, send_test_message
from inforadar.actions.rules.manage import add_rule, remove_rule, try_query
from inforadar.actions.rules.silence import silence_alerts
from inforadar.config import Settings
from inforadar.errors import InfoRadarError, NotFoundError, UsageError
from inforadar.model.ids import FeedId
from inforadar.model.person import Person
from inforadar.model.rule import DeliveryId, DeliveryState, RuleActions, parse_digest, parse_quiet
from inforadar.model.search import parse_time
from inforadar.pipeline.notify.senders import shown_url
from inforadar.store.database import Database
from inforadar.store.rules.alerts import load_alerts
from inforadar.store.rules.queries import load_channels, load_deliveries, load_rules
from inforadar.translations import gettext as _
from inforadar.web.http.forms import Form, read_form, redirect_to
from inforadar.web.http.identity import PERSON_SCOPE
from inforadar.web.http.routing import resource
from inforadar.web.pages.templating import Pages


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRoutes:
    database: Database
    settings: Settings
    pages: Pages
    now: Callable[[], datetime]

    def routes(self) -> list[Route]:
        return [
            resource("/rules", get=self.show, post=self.change),
            resource("/channels", get=self.show_channels, post=self.change_channels),
            resource("/alerts", get=self.show_alerts, post=self.change_alerts),
        ]

    async def show(self, request: Request) -> Response:
        return await self._rules(request, _person(request))

    async def _rules(self, request: Request, person: Person, status: int = 200, **values: Any) -> Response:
        channels = [channel.name for channel in await self.database.read(load_channels)]
        return self.pages.render(
            request,
            "rules.html",
            status,
            rules=await self.database.read(load_rules, person.id),
            channels=channels,
            **{"trial": None, "asks": False, "given": _given(Form(fields={})), "fault": None, "broken": 0}
            | values,
        )

    async def change(self, request: Request) -> Response:
        """Try, add or remove a rule of one's own."""
        person = _person(request)
        form = await read_form(request)
        try:
            if form.text("do") == "remove":
                await remove_rule(self.database, person.id, form.text("name") or "")
                return redirect_to(request, "/rules")
            trial = await try_query(self.database, person.id, form.text("query") or "", self.now())
            actions = _actions(form)
            asks = trial.asks_first(actions) and not form.text("sure")
            if form.text("do") != "add" or asks:
                return await self._rules(request, person, trial=trial, asks=asks, given=_given(form))
            await add_rule(
                self.database,
                person.id,
                form.text("name") or "",
                form.text("query") or "",
                actions,
                on_change=form.text("on_change") is not None,
            )
        except (UsageError, NotFoundError) as fault:
            return await self._rules(request, person, 422, fault=str(fault), given=_given(form))
        return redirect_to(request, "/rules")

    async def show_channels(self, request: Request) -> Response:
        return await self._channels(request, _admin(request))

    async def _channels(self, request: Request, person: Person, status: int = 200, **values: Any) -> Response:
        channels = await self.database.read(load_channels)
        states = (DeliveryState.DEAD, DeliveryState.PENDING)
        return self.pages.render(
            request,
            "channels.html",
            status,
            channels=[(channel, shown_url(channel)) for channel in channels],
            messages=await self.database.read(load_deliveries, states=states),
            **{"fault": None, "said": None, "secret": None, "broken": 0} | values,
        )

    async def change_channels(self, request: Request) -> Response:
        """Add, test or remove a channel, or send a message again; for admins."""
        person = _admin(request)
        form = await read_form(request)
        name = form.text("name") or ""
        try:
            match form.text("do"):
                case "add":
                    zone = form.text("timezone") or "UTC"
                    digest, quiet = form.text("digest"), form.text("quiet")
                    channel = await add_channel(
                        self.database,
                        name,
                        form.text("url") or "",
                        schemes=self.settings.notify.apprise_schemes,
                        digest=parse_digest(digest, zone) if digest else None,
                        quiet=parse_quiet(quiet, zone) if quiet else None,
                        alerts=form.text("alerts") is not None,
                        allowed_networks=self.settings.fetcher.allowed_networks,
                    )
                    return await self._channels(request, person, secret=channel.secret)
                case "test":
                    from inforadar.app.notify import open_sender  # noqa: PLC0415 - large, and rarely used

                    async with open_sender(self.settings, self.database, now=self.now) as sender:
                        failure = await send_test_message(self.database, sender, name, self.now())
                    if failure:
                        raise UsageError(f"{name}: {failure.message}")
                    return await self._channels(
                        request, person, said=_("Sent a test message to %(name)s.", name=name)
                    )
                case "remove":
                    await remove_channel(self.database, name)
                case "resend":
                    await resend_message(self.database, DeliveryId(_uuid(form, "id")))
                case _:
                    raise UsageError(_("The form does not say what to do."))
        except InfoRadarError as fault:
            return await self._channels(request, person, 422, fault=str(fault))
        return redirect_to(request, "/channels")

    async def show_alerts(self, request: Request) -> Response:
        alerts = await self.database.read(load_alerts, with_quiet=True)
        return self.pages.render(request, "alerts.html", alerts=alerts, broken=0)

    async def change_alerts(self, request: Request) -> Response:
        """Be quiet about a feed until a time, or tell again; for admins."""
        form = await read_form(request)
        until = form.text("until")
        end = parse_time(until, self.now()) if until else None
        await silence_alerts(self.database, FeedId(_uuid(form, "feed")), end)
        return redirect_to(request, "/alerts")


def _person(request: Request) -> Person:
    person: Person | None = request.scope.get(PERSON_SCOPE)
    if person is None:
        raise HTTPException(401, _("Log in to see your rules."))
    return person


def _admin(request: Request) -> Person:
    person = _person(request)
    if not person.is_admin:
        raise HTTPException(403, _("Only admins see channels."))
    return person


def _actions(form: Form) -> RuleActions:
    return RuleActions(
        star=form.text("star") is not None,
        archive=form.text("archive") is not None,
        read=form.text("read") is not None,
        labels=tuple(label for part in form.texts("label") if (label := part.strip())),
        notify=form.texts("notify"),
    )


_FLAGS, _TEXTS = ("star", "archive", "read", "on_change"), ("name", "query", "label")


def _given(form: Form) -> dict[str, Any]:
    """The form's values, to show them again."""
    flags = {name: form.text(name) is not None for name in _FLAGS}
    texts = {name: form.text(name) or "" for name in _TEXTS}
    return flags | texts | {"notify": form.texts("notify")}


def _uuid(form: Form, name: str) -> UUID:
    try:
        return UUID(form.text(name) or "")
    except ValueError:
        raise UsageError(_("The form does not say which one.")) from None
