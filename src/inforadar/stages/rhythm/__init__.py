"""When a feed is expected to post, and when to poll it. Pure: counts in, a plan out.

    new items | learn → Rhythm | Forecast | plan_polls → the next poll

`learn` updates the counts with a job's new items. `Forecast` turns counts into expected items per slot of the next day.
`plan_polls` chooses the polls that cost least: delay of the expected items, plus a price for each request.
"""
