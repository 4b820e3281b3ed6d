"""The Prefect flow against a real local server, and deployments from the settings file."""

from __future__ import annotations

from pathlib import Path

import pytest

from inforadar.config import load_settings
from inforadar.errors import ConfigError
from tests.support.site.server import Site
from tests.support.site.sitemaps import SitemapSite

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # Prefect's own warnings

TOML = """
[fetcher]
allowed_networks = [{networks}]
domain_delay = 0

[flows.orchard]
sitemap_url = "{url}"
interval = 900
channel_config = {{ title = "Orchard" }}
incremental_config = {{ db_path = "{state}", baseline_items = 2 }}

[flows.every-two-hours]
sitemap_url = "{url}"
max_items = 5
"""


@pytest.mark.timeout(400)
async def test_the_flow_runs_on_a_prefect_server_and_its_deployments_come_from_the_settings(
    tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect.client.orchestration import get_client  # noqa: PLC0415 - two seconds to import
    from prefect.settings import PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS, temporary_settings  # noqa: PLC0415
    from prefect.testing.utilities import prefect_test_harness  # noqa: PLC0415

    from inforadar.flows.deployments import load_flows, serve_flows  # noqa: PLC0415
    from inforadar.flows.sitemap import incremental_sitemap_to_rss_flow as flow  # noqa: PLC0415

    news = SitemapSite(site)
    news.publish("/sitemap.xml", "a", lastmod="2026-10-01", title="A")
    url = news.publish("/sitemap.xml", "b", lastmod="2026-10-02")
    networks = ", ".join(f'"{endpoint}"' for endpoint in site.endpoints)
    (tmp_path / "inforadar.toml").write_text(
        TOML.format(networks=networks, url=url, state=tmp_path / "state.db"), encoding="utf-8"
    )
    monkeypatch.setenv("INFORADAR_HOME", str(tmp_path))
    settings = load_settings(tmp_path)
    parameters = {
        "sitemap_url": url,
        "site_name": "orchard",
        "channel_config": {"title": "Orchard"},
        "incremental_config": dict(load_flows(settings)["orchard"].incremental),
        "output_path": str(tmp_path / "orchard.xml"),
    }
    assert (flow.name, flow.retries) == ("Incremental Sitemap to RSS", 2)
    slow = {PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS: 120}
    with temporary_settings(slow), prefect_test_harness(server_startup_timeout=120):
        state = await flow(**parameters, return_state=True)
        result = await state.result()
        assert state.is_completed()
        assert "<title>Title of b</title>" in result.xml
        assert (tmp_path / "orchard.xml").read_text(encoding="utf-8") == result.xml
        # Nothing changed: nothing is processed, no page is asked for, the document is the same.
        news.asked()
        again = await flow(**parameters)
        assert (again.processed, again.xml) == ((), result.xml)
        assert news.asked() == ["/sitemap.xml"]
        async with get_client() as client:
            runs = await client.read_flow_runs()
            assert {run.state_type for run in runs} == {"COMPLETED"}
            await client.create_work_pool(work_pool=_process_pool())
            names = await serve_flows(settings, work_pool="machines")
            deployed = {name: await client.read_deployment_by_name(name) for name in names}
    orchard, other = (
        deployed[f"Incremental Sitemap to RSS/incremental-rss-{name}"]
        for name in ("orchard", "every-two-hours")
    )
    assert orchard.schedules[0].schedule.interval.total_seconds() == 900
    assert other.schedules[0].schedule.cron == "0 */2 * * *"
    assert (orchard.parameters["max_items"], other.parameters["max_items"]) == (20, 5)
    assert orchard.entrypoint == "inforadar.flows.sitemap.incremental_sitemap_to_rss_flow"


def _process_pool():
    from prefect.client.schemas.actions import WorkPoolCreate  # noqa: PLC0415

    return WorkPoolCreate(name="machines", type="process")


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ("", "has no flows"),
        ("[flows.x]\nsitemap = 'y'", r"\[flows.x\]: sitemap_url: Field required"),
        (
            "[flows.x]\nsitemap_url = 'https://x.example/'\ncron = '0 * * * *'\ninterval = 5",
            "both cron and interval",
        ),
        ("[flows.x]\nsitemap_url = 'ftp://x.example/'", "only http and https"),
        ("[flows.x]\nsitemap_url = 'https://x.example/'\nincremental = {days = 3}", "has no 'days'"),
    ],
)
def test_a_flow_that_cannot_be_used_is_refused_in_a_sentence(
    tmp_path: Path, toml: str, sentence: str
) -> None:
    from inforadar.errors import InfoRadarError  # noqa: PLC0415
    from inforadar.flows.deployments import load_flows  # noqa: PLC0415

    (tmp_path / "inforadar.toml").write_text(toml, encoding="utf-8")
    with pytest.raises(InfoRadarError, match=sentence) as refused:
        load_flows(load_settings(tmp_path, {}))
    assert refused.value.exit_code == ConfigError.exit_code
