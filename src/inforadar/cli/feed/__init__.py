"""`inforadar feed`, `root-domain` and `opml`."""
