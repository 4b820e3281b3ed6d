"""The web page: its views, templates and style."""
