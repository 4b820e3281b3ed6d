"""Items: save, list page by page, find, search."""
