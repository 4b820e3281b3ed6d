"""The sections of the settings: a frozen class each, every field followed by its own docstring.

The environment's names are those of the seeds (`FETCHER_INTERVAL`, `AI_TYPE`, `DB_PASSWORD`, …). `docs/config.md` is
generated from the docstrings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import Meta
from msgspec.structs import force_setattr

from inforadar import __version__
from inforadar.config.clients import ClientSettings
from inforadar.config.section import PositiveSeconds, Seconds, Secret, Section
from inforadar.model.analysis import AnalyzerName, Reasoning
from inforadar.model.feed import ErrorPolicy
from inforadar.model.rhythm import PollingMode

_ORIGIN = re.compile(r"https?://[^/\s@?#]+", re.ASCII)


class DatabaseSettings(Section, frozen=True):
    """Where everything is stored."""

    env_prefix = "DATABASE_"
    env_names: ClassVar[Mapping[str, str]] = {"password": "DB_PASSWORD"}

    url: str = ""
    """`sqlite:///…` or `postgresql://…`. Default: `inforadar.db` in the home folder."""
    password: Secret | None = None
    """The PostgreSQL password, if it is not part of the URL."""


class RedisSettings(Section, frozen=True):
    """Optional: articles for other programs, and pacing shared by several machines."""

    env_prefix = "REDIS_"

    url: Secret | None = None
    """`redis://host:6379/0`. Not set: everything works with the database alone."""


class FetcherSettings(Section, frozen=True):
    """How feeds are fetched, and how often."""

    env_prefix = "FETCHER_"

    interval: Seconds = 300
    """How often the worker looks for due feeds, in seconds."""
    success_interval: Seconds = 3600
    """Time between two scheduled fetches of a feed in seconds, if polling is fixed; servers can only lengthen it. If it
    is adaptive, the same number of requests is spent on average."""
    polling: PollingMode | None = None
    """`adaptive`: each feed is fetched when it is expected to post; `fixed`: all at the same interval. Each feed can
    override it. Default: `adaptive`, but `fixed` if only `success_interval` is set."""
    min_interval: Annotated[float, Meta(ge=0, le=86400)] = 600
    """Minimum time between two scheduled fetches of a feed in seconds, if polling is adaptive."""
    budget: Annotated[float, Meta(gt=0)] | None = None
    """Requests per day for all feeds together, if polling is adaptive. Default: what `success_interval` would cost."""
    move_confirmations: Annotated[int, Meta(ge=1, le=100)] = 3
    """How many fetches, on at least two days, must confirm a permanent redirect before a feed's URL changes; 1: the
    first redirect changes it."""
    workers: Annotated[int, Meta(ge=1, le=1000)] = 10
    """How many feeds are fetched at the same time."""
    batch_size: Annotated[int, Meta(ge=1, le=100_000)] = 1000
    """Maximum number of feeds in one cycle."""
    domain_delay: Annotated[float, Meta(ge=0, le=7 * 86400)] = 3
    """Minimum time between two requests to the same host and port, in seconds."""
    pace_by: Literal["host", "domain"] = "host"
    """`domain`: the delay holds between all hosts of a registrable domain, for sites on shared hosting."""
    push: bool = True
    """Ask the hubs that feeds name to push what is new (WebSub), and poll less while they do. Needs
    INFORADAR_PUBLIC_URL, where hubs must be able to reach this server."""
    request_timeout: PositiveSeconds = 30
    """Time limit for one request with its redirects, in seconds."""
    job_timeout: PositiveSeconds = 45
    """Time limit for all the work on one feed, in seconds; must be longer than `request_timeout`."""
    max_articles: Annotated[int, Meta(ge=1, le=100_000)] = 100
    """Maximum number of items stored from one feed document, the newest first."""
    max_body_size_mb: Annotated[float, Meta(gt=0, le=1024)] = 2
    """Maximum size of a feed document, decompressed, in megabytes."""
    error_policy: ErrorPolicy = ErrorPolicy.BACKOFF
    """`backoff`: retry after temporary errors, with growing delays; `one-strike`: any error suspends a feed."""
    reprobe: Literal["off", "weekly"] = "off"
    """`weekly`: try suspended feeds once a week, because dead feeds do come back."""
    allowed_networks: tuple[str, ...] = ()
    """Private networks, or single `address:port` pairs, that may be fetched from; separated by commas."""
    user_agent: str = ""
    """The User-Agent of each request. Default: `InfoRadar/<version>`, with `(+<contact_url>)` if that is set."""
    contact_url: str = ""
    """A page of yours where a site's administrator finds out who sends the requests; `docs/bot.md` is a text for it.
    Default: none is named."""
    proxy: str = ""
    """The outgoing proxy, like `http://host:port`."""
    cutoff_date: date | None = None
    """Paged sites are read back to this date. Default: 30 days before the feed was added."""
    window_days: Annotated[int, Meta(ge=0, le=36_500)] = 30
    """Items older than this many days get no metadata updates."""

    def __post_init__(self) -> None:
        if self.job_timeout <= self.request_timeout:
            raise ValueError(
                f"FETCHER_JOB_TIMEOUT ({self.job_timeout:g}) must exceed "
                f"FETCHER_REQUEST_TIMEOUT ({self.request_timeout:g})"
            )

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Self:
        # If only the interval is set, that interval is wanted (ruling 16).
        if "success_interval" in values and values.keys().isdisjoint({"polling", "budget", "min_interval"}):
            values = {**values, "polling": PollingMode.FIXED}
        return super().read(values)

    @property
    def polling_mode(self) -> PollingMode:
        """How polls are timed."""
        return self.polling or PollingMode.ADAPTIVE

    @property
    def agent(self) -> str:
        """The User-Agent of each request."""
        contact = f" (+{self.contact_url})" if self.contact_url else ""
        return self.user_agent or f"InfoRadar/{__version__}{contact}"


class SitemapSettings(Section, frozen=True):
    """Feeds of kind `sitemap`. Each feed can override these values."""

    env_prefix = "SITEMAP_"

    max_file_size_mb: Annotated[float, Meta(gt=0, le=1024)] = 64
    """Maximum size of a sitemap file, decompressed, in megabytes; the protocol allows 50."""
    baseline_items: Annotated[int, Meta(ge=0, le=100_000)] = 10
    """How many of a new sitemap's newest pages become items; all others count as seen."""
    fetch_titles: bool = True
    """Fetch pages for titles that the sitemap lacks; otherwise titles are made from the URLs."""
    max_page_titles: Annotated[int, Meta(ge=0, le=100_000)] = 50
    """Maximum number of pages fetched for their titles in one run, the newest first; the others get titles from
    their URLs."""
    retry_failed_urls: bool = True
    """Try pages that could not be fetched again in later runs."""
    max_history_days: Annotated[float, Meta(ge=0, le=36_500)] = 30
    """How long a page that has left the sitemap is remembered, in days; listed pages are always remembered."""
    cleanup_interval_days: Annotated[float, Meta(ge=0, le=36_500)] = 7
    """How often pages that have left the sitemap are cleaned up, in days."""


class CanonicalSettings(Section, frozen=True):
    """Fetching the articles behind the items."""

    env_prefix = "CANONICAL_"

    timeout: PositiveSeconds = 15
    """Time limit for one download, in seconds."""
    max_body_size_mb: Annotated[float, Meta(gt=0, le=1024)] = 5
    """Maximum size of a page, decompressed, in megabytes."""
    retries: Annotated[int, Meta(ge=0, le=3)] = 3
    """How often a download that failed for a temporary reason is retried (after 1, 6 and 24 hours)."""
    workers: Annotated[int, Meta(ge=1, le=1000)] = 10
    """How many pages are fetched at the same time."""
    revision_hours: tuple[Annotated[float, Meta(gt=0, le=24 * 90)], ...] = (1, 6, 24, 72)
    """When an article is looked at again for changes, in hours after its first fetch; separated by commas. Empty:
    never."""
    revisions_per_host_day: Annotated[int, Meta(ge=0, le=100_000)] = 50
    """Maximum number of such looks at one host per day (UTC). All looks together never exceed a tenth of the requests
    for feeds. 0: none."""
    versions: Annotated[int, Meta(ge=2, le=10_000)] = 30
    """How many versions of an article to keep, besides both sides of each significant change."""


class AiSettings(Section, frozen=True):
    """The analyzer, which scores wording and suggests neutral titles."""

    env_prefix = "AI_"

    type: AnalyzerName = AnalyzerName.LOCAL
    """`local` needs no key and no network; `mock` makes up dummy data; all others ask a language model."""
    api_key: Secret | None = None
    """The API key for the analyzer in `type`."""
    openai_api_key: Secret | None = None
    """The API key for feeds that use `openai` while `type` is another analyzer."""
    anthropic_api_key: Secret | None = None
    """The API key for feeds that use `anthropic` while `type` is another analyzer."""
    gemini_api_key: Secret | None = None
    """The API key for feeds that use `gemini` while `type` is another analyzer."""
    base_url: str = ""
    """The endpoint, if it is not the vendor's own: any server that speaks the protocol of `type`."""
    model: str = ""
    """Which model to use; required with `base_url`. Default: a small model of the vendor."""
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = 0
    """How freely the model chooses its words: 0 gives the same answer again as far as possible. `default`: as the
    model does by itself. Left out where a model refuses it."""
    reasoning: Reasoning = Reasoning.OFF
    """How much the model may think before it answers; `default`: as the model does by itself. A thinking model on your
    own machine easily takes longer than `timeout`."""
    timeout: PositiveSeconds | None = None
    """Time limit for one answer, in seconds. Default: 180, or 600 with `base_url`: a model on your own machine may need
    minutes."""
    concurrency: Annotated[int, Meta(ge=1, le=1000)] = 4
    """How many items are analyzed at the same time."""
    requests_per_minute: Annotated[int, Meta(ge=0)] = 0
    """Maximum number of requests per minute from one process; 0: no limit."""
    tokens_per_minute: Annotated[int, Meta(ge=0)] = 0
    """Maximum number of tokens per minute from one process, input and output together; 0: no limit."""
    input_tokens: Annotated[int, Meta(ge=200, le=1_000_000)] = 6000
    """Articles are cut to about this many tokens."""
    output_tokens: Annotated[int, Meta(ge=500, le=1_000_000)] = 8000
    """Maximum length of an answer in tokens, including the model's reasoning."""
    price_in: Annotated[float, Meta(ge=0)] = 0
    """Price of a million input tokens in US dollars; if you use several models, that of the most expensive one.
    Example: 0.25 for a model that costs $0.25 per million tokens."""
    price_out: Annotated[float, Meta(ge=0)] = 0
    """Price of a million output tokens in US dollars."""
    daily_budget: Annotated[float, Meta(ge=0)] = 0
    """US dollars per day (UTC); once they are spent, analyses wait for the next day. 0: no limit. Needs the prices."""


class PublishSettings(Section, frozen=True):
    """The feeds that Info Radar serves."""

    env_prefix = "PUBLISH_"

    items: Annotated[int, Meta(ge=1, le=1000)] = 50
    """How many of a feed's newest items its document holds."""


def _check_network(given: str) -> None:
    # Imported here because it is slow, and few have such a proxy.
    import ipaddress  # noqa: PLC0415

    try:
        ipaddress.ip_network(given, strict=False)
    except ValueError:
        raise ValueError(
            f"INFORADAR_TRUSTED_PROXIES: {given!r} is neither an address nor a network"
        ) from None


class WebSettings(Section, frozen=True):
    """The API and the web page."""

    env_prefix = "INFORADAR_"

    host: str = "127.0.0.1"
    """The address to listen on."""
    port: Annotated[int, Meta(ge=1, le=65535)] = 8321
    """The port to listen on."""
    api_processes: Annotated[int, Meta(ge=0, le=64)] = 1
    """In how many processes the API and the page are served, all on the same port; 0: one for each core. Linux only."""
    reading: Literal["open", "account", "token"] = "open"
    """`open`: anyone who can reach the server can read; `account`: reading needs an account too, as changes do.
    `token` is the old name of `account`."""
    allowed_hosts: tuple[str, ...] = ()
    """Further host names of the server, besides its address and `localhost`; separated by commas."""
    public_url: str = ""
    """The address behind a reverse proxy, like `https://news.example/radar`. Hubs push to it (see FETCHER_PUSH)."""
    behind_proxy: bool = False
    """Trust the X-Forwarded headers; set it only if nobody but the proxy can reach the server."""
    cors_origins: tuple[str, ...] = ()
    """Sites whose pages may read the API in a browser, like `https://portal.example`; separated by commas. Feeds,
    `/api/item` and `/api/site` are open to all."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses or networks, separated by commas, of reverse proxies that log people in: the header `Remote-User` of
    requests from there names the person. Empty: the header is ignored."""
    public_text: bool = False
    """Serve whole texts, in feeds and on the page, also to readers without an account; otherwise they get summaries and
    links. Readers on this machine get them as long as there is no `public_url` and no proxy."""
    images: Literal["auto", "direct", "proxy", "click", "never"] = "auto"
    """When the page loads an article's images: `auto`, by proxy as soon as several people read, otherwise direct;
    `direct`, at once from their sites, without a referrer; by `proxy`, at once through this server, so that their sites
    do not see who reads; on `click`; or `never`."""

    def __post_init__(self) -> None:
        for origin in self.cors_origins:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(
                    f"INFORADAR_CORS_ORIGINS: {origin!r} is no origin; write it like https://portal.example"
                )
        for given in self.trusted_proxies:
            _check_network(given)
        if self.public_url and not self.public_url.startswith(("http://", "https://")):
            raise ValueError("INFORADAR_PUBLIC_URL must start with http:// or https://")
        force_setattr(self, "public_url", self.public_url.rstrip("/"))

    @property
    def base_url(self) -> str:
        """The address for a browser on this machine."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def outer_url(self) -> str:
        """The address for everybody else, which documents name as their own."""
        return self.public_url or self.base_url


class RetentionSettings(Section, frozen=True):
    """What `inforadar db vacuum` deletes; by default nothing."""

    env_prefix = "RETENTION_"

    max_age_days: Annotated[int, Meta(ge=0, le=36_500)] = 0
    """Delete items first seen more than this many days ago, except starred ones; 0: never."""
    max_items: Annotated[int, Meta(ge=0, le=10_000_000)] = 0
    """How many of a feed's newest items to keep, besides starred ones; never fewer than it publishes. 0: all."""
    history_days: Annotated[int, Meta(ge=0, le=36_500)] = 0
    """How many days to keep run reports, changes of items, minor versions of articles, failed downloads, cached
    analyses and each feed's daily numbers; data about hosts goes after 90 days without a request. 0: keep everything
    forever."""


class NotifySettings(Section, frozen=True):
    """Rules, alerts and their messages."""

    env_prefix = "NOTIFY_"

    settle: Seconds = 30
    """How long a match waits before it is sent, so that reports of one event are told together."""
    timeout: PositiveSeconds = 15
    """How long a receiver may take to answer."""
    broken_failures: Annotated[int, Meta(ge=1, le=1000)] = 5
    """A feed is broken after this many failures in a row …"""
    broken_hours: Annotated[float, Meta(ge=0, le=8760)] = 24
    """… over at least this many hours."""
    apprise_schemes: tuple[str, ...] = (
        "discord", "gotify", "gotifys", "mailto", "mailtos", "matrix", "matrixs", "mmost", "mmosts", "msteams",
        "ntfy", "ntfys", "pbul", "pover", "rocket", "rockets", "signal", "signals", "slack", "tgram", "twilio",
        "zulip",
    )  # fmt: skip
    """The services that channels may use through apprise, by the scheme of their URL. Apprise's requests do not pass
    the guard, so schemes that post to any URL are left out."""


class SampleSettings(Section, frozen=True):
    """The sample news."""

    env_prefix = "INFORADAR_SAMPLE_"

    port: Annotated[int, Meta(ge=1, le=65535)] = 8322
    """The local port on which the sample is served."""


class TerminalSettings(Section, frozen=True):
    """The terminal app. Its keys are in `[keys]`, see [keys](keys.md)."""

    env_prefix = "INFORADAR_TERMINAL_"

    worker: bool = False
    """Whether the app runs a worker as long as it is open; the key `W` starts and stops it."""


class LogSettings(Section, frozen=True):
    """The log."""

    env_prefix = "INFORADAR_LOG_"

    format: Literal["auto", "console", "json"] = "auto"
    """`auto`: readable text on a terminal, JSON elsewhere."""
    level: Literal["debug", "info", "warning", "error"] = "info"
    """The lowest level that is logged."""


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
    "clients": ClientSettings,
    "notify": NotifySettings,
    "sample": SampleSettings,
    "terminal": TerminalSettings,
    "log": LogSettings,
}
"""The sections of `inforadar.toml`."""

FLOWS = "flows"
"""One more section, which only `flows` reads: `[flows.NAME]`, a sitemap that Prefect runs."""


RULES = "rules"
"""One more section: `[rules.NAME]`, a rule of the first admin."""

KEYS = "keys"
"""One more section: `[keys.SCREEN]`, the keys of the terminal app."""
