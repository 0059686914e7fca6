CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
IF {when} THEN RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation'; END IF;
RETURN NEW;
END $$;
CREATE TRIGGER {name} BEFORE {act} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()
