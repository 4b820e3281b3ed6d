"""Reading dates as feeds and sites write them."""
