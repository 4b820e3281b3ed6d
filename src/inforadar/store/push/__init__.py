"""Subscriptions to hubs in the database: `queries` reads; `subscribe`, `callbacks` and `results` write."""
