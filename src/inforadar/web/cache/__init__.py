"""Answer many readers with few questions to the database.

`TimedCache` keeps answers for a time and is what an area of the web face normally wants. The others are different:
`BoundedCache` keeps values until they no longer fit, `Batcher` turns many small questions into one, and `SingleFlight`
shares an answer that is being looked for without keeping it.
"""
