"""Finding the article on the page and turning it into text."""
