"""Sentence vectors: texts of like meaning get like vectors, across languages. The optional extra `semantic`."""
