"""Read sitemaps and their indexes. Start with `parse.py`.

`unpack` handles gzip; `fast`, `xml` and `repair` read XML, from the usual to the broken; `urls` normalizes addresses;
`filter` and `titles` serve those who publish the entries.
"""
