"""Deployments from `inforadar.toml`: each `[flows.NAME]` is one sitemap with its own schedule.

[flows.prefect]
sitemap_url = "https://www.prefect.io/sitemap.xml"
cron = "0 */2 * * *"
channel_config = { title = "Prefect Blog" }
incremental_config = { db_path = "rss_incremental.db", baseline_items = 10 }
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from prefect import aserve
from prefect.deployments.runner import RunnerDeployment
from prefect.types.entrypoint import EntrypointType
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, model_validator

from inforadar.config import Settings, read_flows
from inforadar.embed.sitemap_run import IncrementalConfig
from inforadar.errors import ConfigError
from inforadar.flows.sitemap import incremental_sitemap_to_rss_flow
from inforadar.urls import canonical_form

DEFAULT_CRON = "0 */2 * * *"
"""Every two hours."""


def _named(*names: str) -> Any:
    return Field(validation_alias=AliasChoices(*names))


class FlowSettings(BaseModel):
    """One `[flows.NAME]` section."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sitemap_url: str
    site_name: str = ""
    cron: str | None = None
    interval: Annotated[float | None, Field(gt=0)] = None
    """Seconds between two runs; instead of `cron`."""
    enable_incremental: bool = True
    max_items: Annotated[int, Field(ge=1, le=100_000)] = 20
    fetch_titles: bool = True
    any_host: bool = False
    output_path: str | None = None
    channel: Annotated[dict[str, Any], _named("channel", "channel_config")] = {}
    incremental: Annotated[dict[str, Any], _named("incremental", "incremental_config")] = {}
    filters: Annotated[dict[str, Any], _named("filters", "filter_config")] = {}

    @model_validator(mode="after")
    def _is_usable(self) -> FlowSettings:
        if self.cron is not None and self.interval is not None:
            raise ValueError("both cron and interval are set; remove one of them")
        canonical_form(self.sitemap_url)
        IncrementalConfig.parse(self.incremental)
        return self


def load_flows(settings: Settings) -> dict[str, FlowSettings]:
    """Load the flows of the settings file; `ConfigError` if there is none, or one is not valid."""
    flows = {}
    for name, given in read_flows(settings.home).items():
        try:
            flows[name] = FlowSettings(**given)
        except ValidationError as fault:
            error = fault.errors()[0]
            where = ".".join(map(str, error["loc"])) or "it"
            raise ConfigError(
                f"inforadar.toml [flows.{name}]: {where}: {error['msg'].removeprefix('Value error, ')}."
            ) from None
        except TypeError:
            raise ConfigError(f"inforadar.toml: [flows.{name}] must be a section.") from None
    if not flows:
        raise ConfigError(
            f"{settings.home / 'inforadar.toml'} has no flows. Add a section [flows.NAME] with a sitemap_url."
        )
    return flows


async def make_deployments(
    flows: dict[str, FlowSettings], *, work_pool: str | None = None
) -> list[RunnerDeployment]:
    """Make a deployment `incremental-rss-NAME` for each flow; by module path, so that it runs on any installation."""
    return [
        await incremental_sitemap_to_rss_flow.ato_deployment(
            name=f"incremental-rss-{name}",
            cron=(one.cron or DEFAULT_CRON) if one.interval is None else None,
            interval=one.interval,
            parameters={
                "sitemap_url": one.sitemap_url,
                "site_name": one.site_name or name,
                "channel_config": one.channel,
                "enable_incremental": one.enable_incremental,
                "max_items": one.max_items,
                "fetch_titles": one.fetch_titles,
                "incremental_config": one.incremental or None,
                "filter_config": one.filters or None,
                "any_host": one.any_host,
                "output_path": one.output_path,
            },
            work_pool_name=work_pool,
            entrypoint_type=EntrypointType.MODULE_PATH,
        )
        for name, one in flows.items()
    ]


async def serve_flows(settings: Settings, *, work_pool: str | None = None) -> Sequence[str]:
    """Register the flows with the Prefect server and run them in this process until it is stopped.

    With a work pool they are only registered, and its workers run them. Returns their names.
    """
    deployments = await make_deployments(load_flows(settings), work_pool=work_pool)
    if work_pool is None:
        await aserve(*deployments)
    else:
        for deployment in deployments:
            await deployment.aapply()
    return [f"{deployment.flow_name}/{deployment.name}" for deployment in deployments]
