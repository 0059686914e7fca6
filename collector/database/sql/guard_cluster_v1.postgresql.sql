CREATE FUNCTION collector_guard_design() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
-- Waits for those who store on this node: they share the lock of the digest's first four bytes.
PERFORM pg_advisory_xact_lock(('x' || left(OLD.digest, 8))::bit(32)::int, {taking});
RETURN NEW;
END $$;
CREATE TRIGGER design_is_guarded BEFORE UPDATE OF closed_on ON collector_frozendesign
FOR EACH ROW EXECUTE FUNCTION collector_guard_design()
