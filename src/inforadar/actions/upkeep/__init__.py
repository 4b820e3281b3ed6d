"""Taking care of the database: back up and restore, export and import, move, upgrade, repair, delete what is old."""
