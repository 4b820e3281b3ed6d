"""Maintenance of the database: upgrade, check, back up, move, measure, clean up."""
