"""Compares two versions of an article and tells what was changed. Start with `judge.judge_look`.

    normalize (what is compared) ─► difference (paragraphs, then words) ─► significance (numbers, names, quotations …)
    details (title, author, date, picture) · notes (does the text say so?) · live (pages that only grow)

Pure: two snapshots in, a value out. The same article with other ads, other links or another server is no revision.
"""
