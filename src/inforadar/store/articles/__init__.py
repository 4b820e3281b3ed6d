"""Articles: the queue of URLs to fetch and their results."""
