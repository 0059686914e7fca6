CREATE FUNCTION collector_store(
    digests text[], holds int[], taking int,
    designs int[], strata smallint[], modes smallint[], nonces bytea[], reports bytea[],
    invitations bytea[], blind boolean[]
) RETURNS TABLE (place int, key bytea, stratum smallint, report bytea) LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
-- As store_v2, for tables that Citus distributes. Citus has to see the design's number as it plans: the rows of a design
-- are on one node, and each statement goes there alone.
#variable_conflict use_column
DECLARE
    turn int;
    mine int;
    is_open boolean;
    own bytea[];
    written bytea[];
    kept bytea[];
    tried int[];
    held bytea[];
    held_groups smallint[];
    used bytea[];
    lost bytea[];
BEGIN
    -- Until the transaction ends nobody can close one of these designs.
    PERFORM pg_advisory_xact_lock_shared(hold, taking) FROM unnest(holds) AS hold;
    -- The digests are sorted, and nonces and hashes below: two batches with the same ones do not wait in a circle.
    FOR turn IN SELECT generate_subscripts(digests, 1) LOOP
        SELECT number, closed_on IS NULL INTO mine, is_open FROM collector_frozendesign WHERE digest = digests[turn];
        CONTINUE WHEN mine IS NULL;
        written := '{}';
        IF is_open THEN
            WITH new_rows AS (
                INSERT INTO collector_waitingreport (design_id, stratum, mode, nonce, report)
                SELECT mine, sent.stratum, sent.mode, sent.nonce, sent.report
                FROM unnest(designs, strata, modes, nonces, reports) AS sent (design, stratum, mode, nonce, report)
                WHERE sent.design = turn ORDER BY sent.nonce
                ON CONFLICT DO NOTHING RETURNING nonce
            )
            SELECT coalesce(array_agg(nonce), '{}') INTO written FROM new_rows;
        END IF;
        RETURN QUERY SELECT turn, nonce, NULL::smallint, NULL::bytea FROM unnest(written) AS nonce;

        SELECT array_agg(sent.nonce) INTO own FROM unnest(designs, nonces) AS sent (design, nonce) WHERE sent.design = turn;
        -- After the insert, which waits for a worker that is moving a report of the same key; in one statement.
        RETURN QUERY
        SELECT turn, found.nonce, found.stratum::smallint, found.report FROM collector_report AS found
        WHERE found.design_id = mine
        AND found.nonce = ANY(own)
        UNION ALL
        SELECT turn, found.nonce, found.stratum::smallint, found.report FROM collector_waitingreport AS found
        WHERE found.design_id = mine AND NOT found.nonce = ANY(written)
        AND found.nonce = ANY(own);
        SELECT coalesce(array_agg(nonce), '{}') INTO kept FROM collector_report
        WHERE design_id = mine AND nonce = ANY(written);
        IF cardinality(kept) > 0 THEN
            DELETE FROM collector_waitingreport WHERE design_id = mine AND nonce = ANY(kept);
        END IF;

        -- What was written and stays needs its invitation: the first one gets it.
        CONTINUE WHEN cardinality(invitations) = 0;
        SELECT array_agg(at ORDER BY at) INTO tried
        FROM unnest(designs, nonces, invitations) WITH ORDINALITY AS sent (design, nonce, hash, at)
        WHERE sent.design = turn AND sent.hash IS NOT NULL
        AND sent.nonce = ANY(written) AND NOT sent.nonce = ANY(kept);
        CONTINUE WHEN tried IS NULL;
        IF blind[turn] THEN
            WITH new_rows AS (
                INSERT INTO collector_usedtoken (design_id, hash)
                SELECT DISTINCT mine, invitations[at] FROM unnest(tried) AS at ORDER BY 2
                ON CONFLICT DO NOTHING RETURNING hash
            )
            SELECT coalesce(array_agg(hash), '{}') INTO used FROM new_rows;
            held := used;
            held_groups := array_fill(NULL::smallint, ARRAY[cardinality(used)]);
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
        DELETE FROM collector_waitingreport WHERE design_id = mine AND nonce = ANY(lost);
        RETURN QUERY SELECT turn, nonce, (-1)::smallint, NULL::bytea FROM unnest(lost) AS nonce;
    END LOOP;
END $$
