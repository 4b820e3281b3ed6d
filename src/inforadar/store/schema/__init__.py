"""The tables. Invariants are enforced here: a constraint prevents what must never happen."""
