"""The way of one request from hop to hop: where it may go next, and what it may carry there. Pure.

Credentials stay with the origin that they were given for, and so do validators whose URL is not known.
A move counts as permanent only if every hop said so. A URL that comes up twice is a circle: without
cookies it would answer the same again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import ada_url

from inforadar.errors import InvalidUrlError
from inforadar.fetch.faults import Fault
from inforadar.fetch.headers import escape_raw_bytes
from inforadar.fetch.outcome import is_permanent_redirect
from inforadar.model.http import FailureReason, Outcome, Request, Validators
from inforadar.urls import canonical_form, keeps_credentials, origin


@dataclass(slots=True, kw_only=True)
class RedirectChain:
    """Where a request has got to."""

    request: Request
    url: str
    credentials: Mapping[str, str]
    validators: Validators
    permanent: bool = True
    seen: set[str] = field(default_factory=set)

    @classmethod
    def begin(cls, request: Request) -> RedirectChain:
        """Raises `InvalidUrlError` if the URL cannot be requested."""
        return cls(
            request=request,
            url=requestable(request.url),
            credentials=request.headers,
            validators=request.validators,
        )

    @property
    def moved_to(self) -> str | None:
        return self.url if self.permanent and self.seen else None

    @property
    def host(self) -> str:
        return host_of(self.url)

    def follow(self, status: int, location: str | None, max_redirects: int) -> Fault | None:
        """Go on to `location`, unless that is wrong."""
        if not location:
            return Fault(
                reason=FailureReason.BROKEN,
                message=f"{self.host} answered {status} without saying where to go.",
            )
        try:
            target = requestable(escape_raw_bytes(location), self.url)
        except InvalidUrlError:
            return _wrong_way(f"{self.host} sends us to something that is no plain http or https address.")
        if target == self.url or target in self.seen:
            return _wrong_way(f"{self.host} sends us round in a circle.")
        if len(self.seen) == max_redirects:
            return _wrong_way(f"{host_of(self.request.url)} redirects more than {max_redirects} times.")
        if not keeps_credentials(self.url, target):
            # They stay away for good: the other origin could send us back to a page of its choice.
            self.credentials = {}
        if self.validators.url is None and origin(target) != origin(self.url):
            self.validators = Validators()
        self.seen.add(self.url)
        self.permanent = self.permanent and is_permanent_redirect(status)
        self.url = target
        return None


def requestable(url: str, base: str | None = None) -> str:
    """The URL as it is requested: without fragment, and refused if it carries credentials."""
    href = canonical_form(url, base)
    if "@" in href:
        parsed = ada_url.URL(href)
        if parsed.username or parsed.password:
            raise InvalidUrlError(
                f"…@{parsed.host}", "it holds credentials; give them as a header of the feed instead"
            )
    return href.partition("#")[0]


def host_of(url: str) -> str:
    """The host as people write it, for sentences."""
    host = str(ada_url.URL(url).hostname)
    return str(ada_url.idna.decode(host)) if "xn--" in host else host


def _wrong_way(message: str) -> Fault:
    return Fault(reason=FailureReason.REDIRECTS, outcome=Outcome.PERMANENT_ERROR, message=message)
