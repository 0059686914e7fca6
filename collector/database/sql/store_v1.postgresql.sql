CREATE FUNCTION collector_store(
    digests text[], holds int[], taking int,
    designs int[], strata smallint[], modes smallint[], nonces bytea[], reports bytea[]
) RETURNS TABLE (place int, key bytea, stratum smallint, report bytea) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    numbers int[];
    written_designs int[];
    written_nonces bytea[];
BEGIN
    -- Until the transaction ends nobody can close one of these designs.
    PERFORM pg_advisory_xact_lock_shared(hold, taking) FROM unnest(holds) AS hold;
    SELECT array_agg(number ORDER BY at) INTO numbers
    FROM unnest(digests) WITH ORDINALITY AS asked (digest, at) LEFT JOIN collector_frozendesign USING (digest);

    -- By the nonces: two batches with the same ones do not wait for each other in a circle.
    WITH written AS (
        INSERT INTO collector_waitingreport (design_id, stratum, mode, nonce, report)
        SELECT number, sent.stratum, sent.mode, sent.nonce, sent.report
        FROM unnest(designs, strata, modes, nonces, reports) AS sent (design, stratum, mode, nonce, report)
        JOIN collector_frozendesign ON number = numbers[sent.design]
        WHERE closed_on IS NULL
        ORDER BY number, sent.nonce
        ON CONFLICT DO NOTHING RETURNING design_id, nonce
    )
    SELECT array_agg(design_id), array_agg(nonce) INTO written_designs, written_nonces FROM written;
    RETURN QUERY
    SELECT array_position(numbers, design_id), nonce, NULL::smallint, NULL::bytea
    FROM unnest(written_designs, written_nonces) AS written (design_id, nonce);

    -- After the insert, which waits for a worker that is moving a report of the same key: it is seen here then. One
    -- statement, so that none is missed that is moved meanwhile.
    RETURN QUERY
    SELECT sent.design, kept.nonce, kept.stratum::smallint, kept.report
    FROM unnest(designs, nonces) AS sent (design, nonce)
    JOIN collector_report AS kept ON kept.design_id = numbers[sent.design] AND kept.nonce = sent.nonce
    UNION ALL
    SELECT sent.design, waits.nonce, waits.stratum::smallint, waits.report
    FROM unnest(designs, nonces) AS sent (design, nonce)
    JOIN collector_waitingreport AS waits ON waits.design_id = numbers[sent.design] AND waits.nonce = sent.nonce
    WHERE cardinality(nonces) > coalesce(cardinality(written_nonces), 0) AND NOT EXISTS (
        SELECT FROM unnest(written_designs, written_nonces) AS written (design_id, nonce)
        WHERE written.design_id = waits.design_id AND written.nonce = waits.nonce
    );
    IF FOUND THEN
        DELETE FROM collector_waitingreport AS waits
        USING unnest(written_designs, written_nonces) AS written (design_id, nonce), collector_report AS kept
        WHERE waits.design_id = written.design_id AND waits.nonce = written.nonce
        AND kept.design_id = written.design_id AND kept.nonce = written.nonce;
    END IF;
END $$
