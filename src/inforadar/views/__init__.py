"""What every face shows, prepared once: items, feed health, run logs, JSON documents, times."""
