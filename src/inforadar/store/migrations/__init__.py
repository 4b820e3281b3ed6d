"""Alembic migrations, for both databases. `inforadar.store.upgrade` runs them."""
