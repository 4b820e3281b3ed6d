"""The terminal app: `inforadar` without a command. It shows and asks; what it asks for is done by `pipeline`."""
