"""The sections of the settings: a frozen class each, every field followed by its own docstring.

The seeds' names (`FETCHER_INTERVAL`, `AI_TYPE`, `DB_PASSWORD`, …) are the environment's names.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    field_validator,
    model_validator,
)

from inforadar import __version__
from inforadar.model.analysis import AnalyzerName
from inforadar.model.feed import ErrorPolicy

Seconds = Annotated[float, Field(ge=0, le=366 * 86400)]
PositiveSeconds = Annotated[float, Field(gt=0, le=366 * 86400)]


class Section(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, str_strip_whitespace=True
    )

    env_prefix: ClassVar[str]
    """A field's name in the environment is this and the field's name, in capitals."""
    env_names: ClassVar[Mapping[str, str]] = {}
    """… but for these."""

    @classmethod
    def env_name(cls, field: str) -> str:
        return cls.env_names.get(field) or f"{cls.env_prefix}{field}".upper()


def _split_list(value: Any) -> Any:
    """A list as the environment gives it: separated by commas."""
    return (
        tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value
    )


class DatabaseSettings(Section):
    """Where everything is kept."""

    env_prefix = "DATABASE_"
    env_names: ClassVar[Mapping[str, str]] = {"password": "DB_PASSWORD"}

    url: str = ""
    """`sqlite:///…` or `postgresql://…`; by default `inforadar.db` in the home folder."""
    password: SecretStr | None = None
    """PostgreSQL's password, kept apart from the URL."""


class RedisSettings(Section):
    """The canonical store at scale, and pacing over several machines."""

    env_prefix = "REDIS_"

    url: SecretStr | None = None
    """`redis://host:6379/0`; without it everything works on the database alone."""


class FetcherSettings(Section):
    """The polite engine and the background fetcher."""

    env_prefix = "FETCHER_"

    interval: Seconds = 300
    """How often the worker looks for due feeds, in seconds."""
    success_interval: Seconds = 3600
    """The least time between two scheduled fetches of a feed, in seconds; servers can only lengthen it."""
    workers: Annotated[int, Field(ge=1, le=1000)] = 10
    """Feeds that are fetched at the same time."""
    batch_size: Annotated[int, Field(ge=1, le=100_000)] = 1000
    """Feeds that one cycle takes at most."""
    domain_delay: Annotated[float, Field(ge=0, le=7 * 86400)] = 3
    """The least time between two requests to the same host and port, in seconds."""
    request_timeout: PositiveSeconds = 30
    """For one request with its redirects, in seconds."""
    job_timeout: PositiveSeconds = 45
    """For one feed's whole job, in seconds; must exceed the request timeout."""
    max_articles: Annotated[int, Field(ge=1, le=100_000)] = 100
    """The newest items of a feed document that are stored; the others are left out."""
    max_body_size_mb: Annotated[float, Field(gt=0, le=1024)] = 2
    """The largest feed document, decompressed, in megabytes."""
    error_policy: ErrorPolicy = ErrorPolicy.BACKOFF
    """`backoff`: temporary errors are tried again, later and later; `one-strike`: any error stops a feed."""
    reprobe: Literal["off", "weekly"] = "off"
    """`weekly`: feeds that were stopped are tried once a week, because dead feeds do come back."""
    allowed_networks: tuple[str, ...] = ()
    """Private networks or single `address:port` pairs that may be fetched from, separated by commas."""
    user_agent: str = ""
    """Sent with each request; by default `InfoRadar/<version> (+<contact_url>)`."""
    contact_url: str = "https://inforadar.dev/bot"
    """Where the administrator of a site finds out who we are."""
    proxy: str = ""
    """`http://host:port` of an outgoing proxy."""
    cutoff_date: date | None = None
    """No walk goes below this date; by default 30 days before the feed was added."""
    window_days: Annotated[int, Field(ge=0, le=36_500)] = 30
    """Items older than this get no metadata update."""

    @field_validator("allowed_networks", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return _split_list(value)

    @model_validator(mode="after")
    def _job_outlasts_request(self) -> FetcherSettings:
        if self.job_timeout <= self.request_timeout:
            raise ValueError(
                f"FETCHER_JOB_TIMEOUT ({self.job_timeout:g}) must exceed "
                f"FETCHER_REQUEST_TIMEOUT ({self.request_timeout:g})"
            )
        return self

    @property
    def agent(self) -> str:
        return self.user_agent or f"InfoRadar/{__version__} (+{self.contact_url})"


class SitemapSettings(Section):
    """Feeds of kind `sitemap`. Each of them can have its own values in its options."""

    env_prefix = "SITEMAP_"

    max_file_size_mb: Annotated[float, Field(gt=0, le=1024)] = 64
    """The largest sitemap file, unpacked, in megabytes; the protocol allows 50."""
    baseline_items: Annotated[int, Field(ge=0, le=100_000)] = 10
    """Of a new sitemap so many become items, the newest; all others count as seen."""
    fetch_titles: bool = True
    """Whether titles that the sitemap lacks are taken from the pages; else from their addresses."""
    max_page_titles: Annotated[int, Field(ge=0, le=100_000)] = 50
    """Pages that are fetched for their titles in one run, the newest; the others go by their addresses."""
    retry_failed_urls: bool = True
    """Whether pages that could not be had are tried again in later runs."""
    max_history_days: Annotated[float, Field(ge=0, le=36_500)] = 30
    """So long a page that has left the sitemap is remembered, in days; one that is listed always is."""
    cleanup_interval_days: Annotated[float, Field(ge=0, le=36_500)] = 7
    """How often those are looked for, in days."""


class CanonicalSettings(Section):
    """From URLs to articles."""

    env_prefix = "CANONICAL_"

    timeout: PositiveSeconds = 15
    """For one download, in seconds."""
    max_body_size_mb: Annotated[float, Field(gt=0, le=1024)] = 5
    """The largest page, decompressed, in megabytes."""
    retries: Annotated[int, Field(ge=0, le=3)] = 3
    """How often a download that failed through no fault of the article is tried again (after 1, 6, 24 hours)."""
    workers: Annotated[int, Field(ge=1, le=1000)] = 10
    """Pages that are fetched at the same time."""


class AiSettings(Section):
    """The analyzer."""

    env_prefix = "AI_"

    type: AnalyzerName = AnalyzerName.LOCAL
    """`local` needs no key and no network; `mock` makes up dummy data; the others ask a language model."""
    api_key: SecretStr | None = None
    """The key for the analyzer that `type` names."""
    openai_api_key: SecretStr | None = None
    """For feeds that name the analyzer `openai` while `type` is another; so are the next two."""
    anthropic_api_key: SecretStr | None = None
    """For feeds that name the analyzer `anthropic`."""
    gemini_api_key: SecretStr | None = None
    """For feeds that name the analyzer `gemini`."""
    base_url: str = ""
    """Where the model is, if not at its vendor: any endpoint that speaks the protocol of `type`."""
    model: str = ""
    """Which model; by default a small one of the vendor. An endpoint of your own needs it."""
    timeout: PositiveSeconds = 60
    """For one answer, in seconds."""
    concurrency: Annotated[int, Field(ge=1, le=1000)] = 4
    """Items that are analyzed at the same time."""
    requests_per_minute: Annotated[int, Field(ge=0)] = 0
    """At most so many requests a minute from one process; 0: no limit."""
    tokens_per_minute: Annotated[int, Field(ge=0)] = 0
    """At most so many tokens a minute, in and out, from one process; 0: no limit."""
    input_tokens: Annotated[int, Field(ge=200, le=1_000_000)] = 6000
    """An article is cut to about so many tokens."""
    output_tokens: Annotated[int, Field(ge=500, le=1_000_000)] = 8000
    """The longest answer, with what the model thinks before it."""
    price_in: Annotated[float, Field(ge=0)] = 0
    """US dollars for a million tokens sent, for the cost accounting; with several models, the dearest."""
    price_out: Annotated[float, Field(ge=0)] = 0
    """US dollars for a million tokens answered."""
    daily_budget: Annotated[float, Field(ge=0)] = 0
    """US dollars a day (UTC); when they are spent, analyses wait for the next day. 0: no limit. Needs the prices."""


class PublishSettings(Section):
    """What is served."""

    env_prefix = "PUBLISH_"

    items: Annotated[int, Field(ge=1, le=1000)] = 50
    """The last items of a feed that its document holds."""


class WebSettings(Section):
    """The API and the page."""

    env_prefix = "INFORADAR_"

    host: str = "127.0.0.1"
    """The address to listen on."""
    port: Annotated[int, Field(ge=1, le=65535)] = 8321
    """The port to listen on."""
    reading: Literal["open", "token"] = "open"
    """`open`: whoever reaches the server may read; `token`: reading needs the admin token, as changing always does."""
    allowed_hosts: tuple[str, ...] = ()
    """Names that the server is called by, beside its address and `localhost`, separated by commas."""
    public_url: str = ""
    """Where it is reached from outside, behind a reverse proxy: `https://news.example/radar`."""
    behind_proxy: bool = False
    """Believe the X-Forwarded headers; only if nobody but the proxy reaches the server."""
    images: Literal["direct", "click", "never"] = "direct"
    """Pictures of articles: `direct` from their sites, which are not told who shows them; on a `click`; or `never`."""

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return _split_list(value)

    @field_validator("public_url")
    @classmethod
    def _is_address(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("INFORADAR_PUBLIC_URL begins with http:// or https://")
        return value.rstrip("/")

    @property
    def base_url(self) -> str:
        """Where a browser on this machine reaches it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def outer_url(self) -> str:
        """Where everybody else reaches it: what documents name as their address."""
        return self.public_url or self.base_url


class RetentionSettings(Section):
    """What is deleted, and when; by default nothing is. `inforadar db vacuum` does it."""

    env_prefix = "RETENTION_"

    max_age_days: Annotated[int, Field(ge=0, le=36_500)] = 0
    """Items that were first seen longer ago are deleted, starred ones excepted; 0: never."""
    max_items: Annotated[int, Field(ge=0, le=10_000_000)] = 0
    """The newest items of a feed that are kept, beside starred ones; never fewer than it publishes. 0: all."""
    history_days: Annotated[int, Field(ge=0, le=36_500)] = 0
    """Reports of runs, what changed in items, failed downloads and cached analyses are kept so long, and what is known
    of hosts that nobody asks for 90 days; 0: for ever."""


class SampleSettings(Section):
    """The sample news world."""

    env_prefix = "INFORADAR_SAMPLE_"

    port: Annotated[int, Field(ge=1, le=65535)] = 8322
    """The loopback port that the sample is served on."""


class LogSettings(Section):
    """What the program says about itself."""

    env_prefix = "INFORADAR_LOG_"

    format: Literal["auto", "console", "json"] = "auto"
    """`auto`: readable on a terminal, JSON elsewhere."""
    level: Literal["debug", "info", "warning", "error"] = "info"
    """The least important events that are shown."""


SECTIONS: Mapping[str, type[Section]] = {
    "database": DatabaseSettings,
    "redis": RedisSettings,
    "fetcher": FetcherSettings,
    "sitemap": SitemapSettings,
    "canonical": CanonicalSettings,
    "ai": AiSettings,
    "publish": PublishSettings,
    "retention": RetentionSettings,
    "web": WebSettings,
    "sample": SampleSettings,
    "log": LogSettings,
}
"""The sections of `inforadar.toml`."""

FLOWS = "flows"
"""One more, which the core does not read: `[flows.NAME]`, a sitemap that Prefect runs."""


def is_secret(section: type[Section], field: str) -> bool:
    return "SecretStr" in str(section.model_fields[field].annotation)


def allowed(section: type[Section], field: str) -> str:
    """What a field takes, in words."""
    info = section.model_fields[field]
    kind: Any = info.annotation
    if get_origin(kind) is Literal:
        return " or ".join(f"`{word}`" for word in get_args(kind))
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return " or ".join(f"`{word.value}`" for word in kind)
    text = str(kind)
    noun = next(
        (noun for sign, noun in _NOUNS if sign in text or (isinstance(kind, type) and kind.__name__ == sign)),
        "text",
    )
    limits = {"ge": "at least", "gt": "more than", "le": "at most"}
    words = [
        f"{word} {getattr(mark, name):.12g}"
        for mark in info.metadata
        for name, word in limits.items()
        if hasattr(mark, name)
    ]
    return f"{noun}, {', '.join(words)}" if words else noun


_NOUNS = (
    ("bool", "true or false"),
    ("tuple", "a list"),
    ("date", "a date like 2026-01-31"),
    ("float", "a number"),
    ("int", "a whole number"),
    ("Path", "a path"),
)
