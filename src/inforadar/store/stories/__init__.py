"""Stories in the database: the queue, the window, placements, and what people decide."""
