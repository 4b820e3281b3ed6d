"""What a page says about its article: title, author, dates, language, picture."""
