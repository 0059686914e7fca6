"""Backup, restore, retention and the version of the database."""
