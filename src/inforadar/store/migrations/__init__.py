"""Alembic migrations, for both databases. `inforadar.store.upkeep.upgrade` runs them."""
