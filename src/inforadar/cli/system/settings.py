"""`inforadar config show`."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from inforadar.cli.terminal.output import print_json, print_line
from inforadar.cli.terminal.tables import print_table
from inforadar.config import SECTIONS, is_secret, load_settings
from inforadar.masks import masked


def show(*, json: Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")] = False) -> None:
    """Show every setting, its value and where the value comes from; secrets are masked."""
    settings = load_settings()
    rows: list[dict[str, Any]] = []
    for name, section in SECTIONS.items():
        values = getattr(settings, name)
        for field in section.__struct_fields__:
            value = getattr(values, field)
            masked = "***" if is_secret(section, field) and value is not None else value
            rows.append(
                {
                    "setting": f"{name}.{field}",
                    "value": _plain(masked),
                    "origin": settings.origins.get(f"{name}.{field}", "default"),
                    "environment": section.env_name(field),
                }
            )
    if json:
        print_json({"home": str(settings.home), "settings": rows})
        return
    print_line(f"Home: {settings.home}")
    print_table(
        ["Setting", "Value", "From", "Environment"],
        ((row["setting"], _shown(row["value"]), row["origin"], row["environment"]) for row in rows),
        empty="",
    )


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return list(value) if isinstance(value, tuple) else masked(str(value))


def _shown(value: Any) -> str:
    if value is None or value in ("", []):
        return "–"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
