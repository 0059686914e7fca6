"""Database-level support: locks, triggers, table layout and the write-ahead log."""
