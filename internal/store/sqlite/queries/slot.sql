-- name: SlotsOf :one
SELECT stream, project, pool, held FROM slots WHERE holder = ?;

-- name: PoolsOf :many
SELECT pool, capacity FROM slot_pools WHERE holder = ?;

-- name: InUse :one
SELECT count(*) FROM slot_pools WHERE pool = ? AND held = 1;

-- name: HolderIn :one
SELECT holder FROM slot_pools WHERE pool = ? AND held = 1 LIMIT 1;

-- name: AddSlots :exec
INSERT INTO slots (holder, stream, project, pool, since, held, filed, room) VALUES (?, ?, ?, ?, ?, ?, '', 0);

-- name: AddPool :exec
INSERT INTO slot_pools (pool, held, project, holder, capacity) VALUES (?, ?, ?, ?, ?);

-- name: LimitPool :exec
UPDATE slot_pools SET capacity = sqlc.arg(capacity) WHERE holder = sqlc.arg(holder) AND pool = sqlc.arg(pool);

-- name: HoldSlots :exec
UPDATE slots SET held = 1, filed = '', room = 0 WHERE holder = ?;

-- name: HoldPools :exec
UPDATE slot_pools SET held = 1 WHERE holder = ?;

-- name: FileSlots :exec
UPDATE slots SET filed = sqlc.arg(filed), room = sqlc.arg(room) WHERE holder = sqlc.arg(holder);

-- name: DropSlots :execrows
DELETE FROM slots WHERE holder = ?;

-- name: DropPools :many
DELETE FROM slot_pools WHERE holder = ? RETURNING pool, held;

-- name: Waiting :one
SELECT count(*) FROM (SELECT 1 FROM slots WHERE held = 0 AND filed = ? LIMIT 1);

-- The next of those that are filed under a pool with room for them.

-- name: NextInLine :one
SELECT q.holder, q.seq, CAST(coalesce(s.n, 0) AS INTEGER) AS share
FROM slots q LEFT JOIN (
    SELECT pool, project, count(*) AS n FROM slot_pools WHERE held = 1 GROUP BY pool, project
) s ON s.pool = q.pool AND s.project = q.project
WHERE q.held = 0 AND q.filed = CAST(sqlc.arg(pool) AS TEXT) AND q.room > CAST(sqlc.arg(in_use) AS INTEGER)
ORDER BY share, q.seq LIMIT 1;

-- name: AllSlots :many
SELECT s.holder, s.stream, s.project, s.since, s.held, p.pool, p.capacity
FROM slots s JOIN slot_pools p ON p.holder = s.holder
ORDER BY s.seq, p.pool <> s.pool, p.pool;

-- name: StreamSlots :many
SELECT s.holder, s.stream, s.project, s.since, s.held, p.pool, p.capacity
FROM slots s JOIN slot_pools p ON p.holder = s.holder
WHERE s.stream = CAST(sqlc.arg(stream) AS TEXT)
ORDER BY s.seq, p.pool <> s.pool, p.pool;

-- name: InLine :many
SELECT q.holder FROM slots q LEFT JOIN (
    SELECT pool, project, count(*) AS n FROM slot_pools WHERE held = 1 GROUP BY pool, project
) s ON s.pool = q.pool AND s.project = q.project
WHERE q.held = 0 AND q.pool = (SELECT me.pool FROM slots me WHERE me.holder = ?)
ORDER BY coalesce(s.n, 0), q.seq;
