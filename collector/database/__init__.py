"""What the collector asks of the database itself: locks, triggers, table layout, the write-ahead log."""
