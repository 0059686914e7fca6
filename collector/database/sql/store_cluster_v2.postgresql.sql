CREATE FUNCTION collector_store(
    beside int, digests text[], holds int[], taking int,
    designs int[], strata smallint[], modes smallint[], nonces bytea[], reports bytea[],
    invitations bytea[], blind boolean[]
) RETURNS TABLE (place int, key bytea, stratum smallint, report bytea) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
-- As store_v2, for tables that Citus distributes: executed by the node that has the rows of the design with the number
-- `beside`. Designs are read from {copy}, the node's own copy. What Citus plans costs the most: one insert of
-- values for all, and for each design selections by key, which it plans once.
#variable_conflict use_column
DECLARE
    lines text;
    written_designs int[] := '{}';
    written_nonces bytea[] := '{}';
    turn int;
    mine int;
    one bytea;
    own bytea[];
    written bytea[];
    kept bytea[];
    known boolean := false;
    found record;
    tried int[];
    held bytea[];
    held_groups smallint[];
    used bytea[];
    lost bytea[];
BEGIN
    -- Until the transaction ends nobody can close one of these designs: that changes the copy of every node, by a
    -- trigger each time under this node's lock. Designs are read after it, by a statement of its own.
    PERFORM pg_advisory_xact_lock_shared(hold, taking) FROM unnest(holds) AS hold;
    -- By the nonces, and by the hashes below: two batches with the same ones do not wait for each other in a circle.
    SELECT string_agg(
        format('(%s,%s,%s,%L,%L)', number, sent.stratum, sent.mode, sent.nonce, sent.report), ',' ORDER BY number, sent.nonce
    ) INTO lines
    FROM unnest(designs, strata, modes, nonces, reports) AS sent (design, stratum, mode, nonce, report)
    JOIN {copy} ON digest = digests[sent.design] WHERE closed_on IS NULL;
    IF lines IS NOT NULL THEN
        FOR mine, one IN EXECUTE 'INSERT INTO collector_waitingreport (design_id, stratum, mode, nonce, report) VALUES '
            || lines || ' ON CONFLICT DO NOTHING RETURNING design_id, nonce'
        LOOP
            written_designs := written_designs || mine;
            written_nonces := written_nonces || one;
        END LOOP;
    END IF;

    FOR turn, mine, own IN
        SELECT sent.design, number, array_agg(sent.nonce) FROM unnest(designs, nonces) AS sent (design, nonce)
        JOIN {copy} ON digest = digests[sent.design] GROUP BY sent.design, number ORDER BY sent.design
    LOOP
        SELECT coalesce(array_agg(nonce), '{}') INTO written
        FROM unnest(written_designs, written_nonces) AS new_rows (design, nonce) WHERE design = mine;
        RETURN QUERY SELECT turn, nonce, NULL::smallint, NULL::bytea FROM unnest(written) AS nonce;

        -- After the insert, which waits for a worker that is moving a report of the same key. Those that wait before
        -- those that were moved: one that is moved meanwhile is found at either place.
        IF cardinality(written) < cardinality(own) THEN
            FOR found IN
                SELECT nonce, stratum, report FROM collector_waitingreport WHERE design_id = mine AND nonce = ANY(own)
            LOOP
                CONTINUE WHEN found.nonce = ANY(written);
                known := true;
                RETURN QUERY SELECT turn, found.nonce, found.stratum::smallint, found.report;
            END LOOP;
        END IF;
        kept := '{}';
        FOR found IN SELECT nonce, stratum, report FROM collector_report WHERE design_id = mine AND nonce = ANY(own) LOOP
            known := true;
            kept := kept || found.nonce;
            RETURN QUERY SELECT turn, found.nonce, found.stratum::smallint, found.report;
        END LOOP;
        IF kept && written THEN
            DELETE FROM collector_waitingreport WHERE design_id = mine AND nonce = ANY(kept);
        END IF;

        -- What was written and stays needs its invitation: the first one gets it.
        CONTINUE WHEN cardinality(invitations) = 0;
        SELECT array_agg(at ORDER BY at) INTO tried
        FROM unnest(designs, nonces, invitations) WITH ORDINALITY AS sent (design, nonce, hash, at)
        WHERE sent.design = turn AND sent.hash IS NOT NULL
        AND sent.nonce = ANY(written) AND NOT sent.nonce = ANY(kept);
        CONTINUE WHEN tried IS NULL;
        PERFORM set_config('plan_cache_mode', 'force_custom_plan', true);  -- the function's end sets it back
        IF blind[turn] THEN
            SELECT string_agg(format('(%s,%L)', mine, hash), ',' ORDER BY hash) INTO lines
            FROM (SELECT DISTINCT invitations[at] AS hash FROM unnest(tried) AS at) AS hashes;
            held := '{}';
            FOR one IN EXECUTE 'INSERT INTO collector_usedtoken (design_id, hash) VALUES '
                || lines || ' ON CONFLICT DO NOTHING RETURNING hash'
            LOOP
                held := held || one;
            END LOOP;
            held_groups := array_fill(NULL::smallint, ARRAY[cardinality(held)]);
        ELSE
            SELECT array_agg(invitations[at]) INTO used FROM unnest(tried) AS at;
            -- Who waits for another that takes it finds it gone.
            PERFORM FROM collector_invitation WHERE design_id = mine
            AND hash = ANY(used) ORDER BY hash FOR UPDATE;
            SELECT coalesce(array_agg(code.hash ORDER BY code.hash), '{}'), array_agg(made.stratum::smallint ORDER BY code.hash)
            INTO held, held_groups
            FROM collector_invitation AS code
            JOIN collector_batch AS made ON made.design_id = code.design_id AND made.number = code.batch
            WHERE code.design_id = mine AND made.design_id = mine
            AND code.hash = ANY(used);
        END IF;
        WITH fitting AS (
            SELECT min(at) AS at FROM unnest(tried) AS at
            JOIN unnest(held, held_groups) AS one (hash, only_for) ON one.hash = invitations[at]
            WHERE coalesce(one.only_for, strata[at]) = strata[at] GROUP BY one.hash
        )
        SELECT coalesce(array_agg(invitations[fitting.at]), '{}'),
               (SELECT coalesce(array_agg(nonces[at]), '{}') FROM unnest(tried) AS at
                WHERE at NOT IN (SELECT fitting.at FROM fitting))
        INTO used, lost FROM fitting;
        IF NOT blind[turn] THEN
            DELETE FROM collector_invitation WHERE design_id = mine AND hash = ANY(used);
        END IF;
        CONTINUE WHEN cardinality(lost) = 0;
        DELETE FROM collector_waitingreport WHERE design_id = mine AND nonce = ANY(lost);
        RETURN QUERY SELECT turn, nonce, (-1)::smallint, NULL::bytea FROM unnest(lost) AS nonce;
    END LOOP;
    -- What was stored before may be on this node alone: a record with this commit, which waits for its standbys.
    IF known THEN PERFORM pg_logical_emit_message(true, 'candor', ''); END IF;
END $$
