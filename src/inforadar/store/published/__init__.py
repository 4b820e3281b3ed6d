"""Documents ready to serve: built feeds, and the queries for `/rss`."""
