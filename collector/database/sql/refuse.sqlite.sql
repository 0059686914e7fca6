CREATE TRIGGER {name} BEFORE {act} ON {table} WHEN {when} BEGIN SELECT RAISE(ABORT, '{message}'); END
