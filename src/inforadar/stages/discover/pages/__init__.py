"""Reading the listing pages of paged sites, and the rule that ends a walk."""
