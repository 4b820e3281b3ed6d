"""Group items into copies and stories: which texts are the same, and which tell of one event.

    title and text | signature | candidates from the window | pair scores | the best story, or a new one

One pass, in order of arrival, without looking ahead. Everything here is pure: signatures and a window go in, decisions
with their reasons come out. `pipeline/group` loads the window from the database and saves the decisions.
"""
