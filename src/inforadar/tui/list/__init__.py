"""The list of articles: what it shows, its columns, its pages, its marks."""
