-- name: Holders :many
SELECT holder FROM claims WHERE kind = ? AND key = ?;

-- name: TakeClaim :exec
INSERT INTO claims (kind, key, holder, capacity) VALUES (?, ?, ?, ?);

-- name: DropClaim :execrows
DELETE FROM claims WHERE kind = ? AND key = ? AND holder = ?;

-- name: AddWaiter :exec
INSERT INTO waiters (kind, key, stream) VALUES (?, ?, ?) ON CONFLICT DO NOTHING;

-- name: TakeWaiters :many
DELETE FROM waiters WHERE kind = ? AND key = ? RETURNING stream;

-- name: Claims :many
SELECT kind, key, holder, capacity FROM claims ORDER BY kind, key, holder;
