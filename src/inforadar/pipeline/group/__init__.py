"""The grouping stage: places items into stories, between fetching their articles and publishing them."""
