"""Documents ready to serve: built feeds and the questions that `/rss` asks."""
