"""CSS selectors that describe a site's listing pages, so that it can be followed without code.

`definition.py` checks what a person wrote, `reader.py` reads pages with it, `preview.py` shows what each selector
matches.
"""
