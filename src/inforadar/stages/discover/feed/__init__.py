"""Read RSS, Atom and JSON Feed documents. Start with `parse.py`.

Order of the work: `document` chooses between `xml` and `json`; `limits` cuts oversized input, `encoding` decodes,
`repair` fixes broken XML, `slow` is the last resort. `fields`, `namespaces`, `markup` and `hints` serve `xml`.
`raw` is what all readers return, `text` cleans titles and snippets, `sniff` identifies documents that are not feeds.
"""
