"""The Google Reader API, for apps: at `/api/greader.php/…` as FreshRSS has it, and at `/…` as Miniflux.

auth.py         ClientLogin, auth tokens, tokens for changes
request.py      parameters in query and body alike
streams.py      stream ids: feeds, states, labels
documents.py    items as JSON and Atom
routes.py       the addresses
"""
