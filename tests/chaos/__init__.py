"""Workers that are killed and frozen while they work, over and over, and the proof that nothing came of it.

    python -m tests.chaos --kills 1000 --seconds 600      (`make chaos`)

`site` serves feeds that number their articles, so that it is known what must be stored; `audit` watches the
database from inside; `workers` runs the real program; `rounds` does the harm. The suite runs the same with a
few kills, and once with the fencing taken out (`unfenced`): a check that cannot fail proves nothing.
"""
