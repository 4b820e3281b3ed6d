"""The tables. Invariants live here: a constraint rules out what must never happen."""
