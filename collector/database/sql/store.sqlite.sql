-- The storing rule (collector/reports/storing.py) on SQLite, which lets one transaction write at a time: nothing is
-- locked, and nothing moves between these statements. {rows} stands for a table of values.

-- name: find_designs
SELECT digest, number, closed_on IS NULL FROM collector_frozendesign WHERE digest IN (VALUES {rows})

-- name: write
INSERT INTO collector_waitingreport (design_id, stratum, mode, nonce, report) VALUES {rows}
ON CONFLICT DO NOTHING RETURNING design_id, nonce

-- name: find_stored
WITH asked (design_id, nonce, waits) AS (VALUES {rows})
SELECT design_id, nonce, stratum, report FROM asked JOIN collector_report USING (design_id, nonce)
UNION ALL
SELECT design_id, nonce, stratum, report FROM asked JOIN collector_waitingreport USING (design_id, nonce)
WHERE waits = 1

-- name: find_invitations
WITH asked (design_id, hash) AS (VALUES {rows})
SELECT design_id, hash, made.stratum FROM asked JOIN collector_invitation AS held USING (design_id, hash)
JOIN collector_batch AS made USING (design_id) WHERE made.number = held.batch

-- name: use_invitations
DELETE FROM collector_invitation WHERE (design_id, hash) IN (VALUES {rows})

-- name: use_tokens
INSERT INTO collector_usedtoken (design_id, hash) VALUES {rows} ON CONFLICT DO NOTHING RETURNING design_id, hash

-- name: take_back
DELETE FROM collector_waitingreport WHERE (design_id, nonce) IN (VALUES {rows})
