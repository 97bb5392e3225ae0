-- The planner looks at some bare parameters, here and in the other files, and plans
-- every call anew; a CAST hides them.

-- name: Head :one
SELECT seq, hash, at FROM events WHERE stream = CAST(sqlc.arg(stream) AS TEXT) ORDER BY seq DESC LIMIT 1;

-- name: AppendEvent :exec
INSERT INTO events (stream, seq, id, type, v, at, actor, cause, prev_hash, hash, body)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: Events :many
SELECT seq, id, type, v, at, actor, cause, prev_hash, body
FROM events WHERE stream = CAST(sqlc.arg(stream) AS TEXT) AND seq > CAST(sqlc.arg(seq) AS INTEGER) ORDER BY seq LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: PutSnapshot :exec
INSERT INTO snapshots (stream, seq, hash, at, format, state) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (stream) DO UPDATE SET
    seq = excluded.seq, hash = excluded.hash, at = excluded.at, format = excluded.format, state = excluded.state;

-- name: Snapshot :one
SELECT seq, hash, at, format, state FROM snapshots WHERE stream = ?;
