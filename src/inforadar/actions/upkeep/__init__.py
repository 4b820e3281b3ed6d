"""Database maintenance: back up and restore, export and import, move, upgrade, repair, delete old data."""
