"""The analyze stage: items in, analyses out, within the budget and without hammering failing endpoints."""
