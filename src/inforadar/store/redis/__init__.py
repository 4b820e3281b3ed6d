"""The Redis projection: what other programs read, written from the outbox after commit."""
