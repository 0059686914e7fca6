CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation'; END $$;
CREATE TRIGGER {name} BEFORE {act} ON {table} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION {name}()
