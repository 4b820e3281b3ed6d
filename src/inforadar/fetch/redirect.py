"""The redirects of one request: where it may go next, and what it may send there. Pure.

Credentials stay with the origin they were given for, and so do validators whose URL is not known.
A move counts as permanent only if every hop is permanent. A URL that comes up twice is a loop: without
cookies it would answer the same again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inforadar.errors import InvalidUrlError
from inforadar.fetch.faults import Fault
from inforadar.fetch.headers import escape_raw_bytes
from inforadar.fetch.outcome import is_permanent_redirect
from inforadar.model.http import FailureReason, Outcome, Request, Validators
from inforadar.urls import canonical_form, in_its_script, keeps_credentials, origin, parse


@dataclass(slots=True, kw_only=True)
class RedirectChain:
    """The current hop of a request, and the URLs before it."""

    request: Request
    url: str
    credentials: Mapping[str, str]
    validators: Validators
    permanent: bool = True
    seen: set[str] = field(default_factory=set)

    @classmethod
    def start(cls, request: Request) -> RedirectChain:
        """Start a request; raises `InvalidUrlError` if its URL cannot be requested."""
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
        """Move on to `location`, or return why that is not possible."""
        if not location:
            return Fault(
                reason=FailureReason.BROKEN,
                message=f"{self.host} answered {status} without a Location header.",
            )
        try:
            target = requestable(escape_raw_bytes(location), self.url)
        except InvalidUrlError:
            return _bad_redirect(f"{self.host} redirects to something that is not a valid http or https URL.")
        if target == self.url or target in self.seen:
            return _bad_redirect(f"{self.host} redirects in a loop.")
        if len(self.seen) == max_redirects:
            return _bad_redirect(f"{host_of(self.request.url)} redirects more than {max_redirects} times.")
        if not keeps_credentials(self.url, target):
            # Dropped for good, even if we return: the other origin could redirect us back to a page of its choice.
            self.credentials = {}
        if self.validators.url is None and origin(target) != origin(self.url):
            self.validators = Validators()
        self.seen.add(self.url)
        self.permanent = self.permanent and is_permanent_redirect(status)
        self.url = target
        return None


def requestable(url: str, base: str | None = None) -> str:
    """Return the URL as requested, without its fragment; refuse one that contains credentials."""
    href = canonical_form(url, base)
    if "@" in href:
        parsed = parse(href)
        if parsed.username or parsed.password:
            raise InvalidUrlError(
                f"…@{parsed.host}", "it contains credentials; set them as a header of the feed instead"
            )
    return href.partition("#")[0]


def host_of(url: str) -> str:
    """Return the host as people write it, for sentences."""
    return in_its_script(parse(url).hostname)


def _bad_redirect(message: str) -> Fault:
    return Fault(reason=FailureReason.REDIRECTS, outcome=Outcome.PERMANENT_ERROR, message=message)
