"""The API and the web page."""
