"""The analyze stage: items in, analyses out, within budget and with care for failing endpoints."""
