"""Push: subscribes to the hubs of feeds (WebSub)."""
