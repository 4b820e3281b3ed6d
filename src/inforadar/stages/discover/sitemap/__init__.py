"""Reading sitemaps and their indexes."""
