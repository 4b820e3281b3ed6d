"""The Google Reader API, for apps: at `/api/greader.php/…` as FreshRSS has it, and at `/…` as Miniflux.

routes.py       the addresses
auth.py         ClientLogin, auth tokens, tokens for changes
request.py      parameters in query and body alike
streams.py      stream ids: feeds, states, labels
lists.py        the person, subscriptions, tags, unread counts
items.py        ids and contents of streams
documents.py    items as JSON and Atom
changes.py      marks and labels, subscriptions, tags
answers.py      JSON, ETags, refusals
"""
