"""Harm to workers while they work, and to what they stand on, over and over; and the proof that nothing was lost.

    python -m tests.chaos --kills 1000 --seconds 600      (`make chaos`)

`site` serves feeds that number their articles, so that it is known what must be stored; `audit` watches the
database from inside; `workers` runs the real program; `harms` says what is
done to it, `rounds` does it. The suite runs the same with a
few kills, and once with the fencing taken out (`unfenced`): a check that cannot fail proves nothing.
"""
