"""Record what models cost: calls, tokens and money by day, model and feed.

The sums are kept in the database because all processes share one daily budget.
"""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, select, text

from inforadar.store.analyses.queries import Spent
from inforadar.store.schema.analyses import analysis_costs
from inforadar.store.upsert import upsert

_c = analysis_costs.c


_LOCK_BUDGET = text("SELECT pg_advisory_xact_lock(7463829502)")
_ROUNDING_USD = 1e-9
"""A smaller sum is a rounding error."""


def add_spent(connection: Connection, spent: Spent) -> None:
    statement = upsert(connection, analysis_costs).values(
        day=spent.day,
        model=spent.model,
        feed_id=spent.feed_id,
        calls=spent.calls,
        tokens_in=spent.tokens_in,
        tokens_out=spent.tokens_out,
        cost=spent.cost,
    )
    sums = {
        name: _c[name] + statement.excluded[name] for name in ("calls", "tokens_in", "tokens_out", "cost")
    }
    connection.execute(statement.on_conflict_do_update(index_elements=["day", "model", "feed_id"], set_=sums))


def reserve_spending(connection: Connection, booking: Spent, budget: float) -> float | None:
    """Book the cost if the day's budget allows it and return None; otherwise return the sum already spent."""
    if connection.dialect.name == "postgresql":
        # Two processes that read the sum at the same time would both find room. SQLite has one writer anyway.
        connection.execute(_LOCK_BUDGET)
    spent = connection.execute(
        select(func.coalesce(func.sum(_c.cost), 0.0)).where(_c.day == booking.day)
    ).scalar_one()
    if spent + booking.cost > budget:
        return float(spent)
    add_spent(connection, booking)
    return None


def settle_spending(connection: Connection, difference: Spent) -> None:
    """Correct what was reserved. A row that ends up without calls and cost is deleted."""
    add_spent(connection, difference)
    connection.execute(
        delete(analysis_costs).where(
            _c.day == difference.day,
            _c.model == difference.model,
            _c.feed_id == difference.feed_id,
            _c.calls == 0,
            _c.cost < _ROUNDING_USD,
        )
    )
