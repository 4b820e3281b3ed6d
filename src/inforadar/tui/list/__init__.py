"""The list of articles: filters, columns, pages and marks."""
