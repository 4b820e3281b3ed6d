"""The web pages: routes, templates and style."""
