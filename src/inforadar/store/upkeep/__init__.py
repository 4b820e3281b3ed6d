"""Looking after the database: upgrade, check, back up, move, measure, tidy up."""
