-- A hint that waits to be claimed already, for the same time, stays as it is.

-- name: Raise :exec
INSERT INTO wakes (stream, wake_seq, done_seq, woken_at, due_at, fence, holder, lease_until)
VALUES (sqlc.arg(stream), sqlc.arg(reasons), 0, sqlc.arg(now), sqlc.arg(due_at), 0, '', 0)
ON CONFLICT (stream) DO UPDATE SET
    woken_at = CASE WHEN wake_seq > done_seq THEN woken_at ELSE excluded.woken_at END,
    wake_seq = wake_seq + excluded.wake_seq,
    due_at   = excluded.due_at,
    seen_due = NULL
WHERE holder <> '' OR wake_seq = done_seq OR due_at IS NOT excluded.due_at OR seen_due IS NOT NULL;

-- name: RaiseWaiter :exec
UPDATE wakes SET
    woken_at = CASE WHEN wake_seq > done_seq THEN woken_at ELSE sqlc.arg(now) END,
    wake_seq = wake_seq + 1
WHERE stream = sqlc.arg(stream);

-- name: PendingHints :many
SELECT stream, wake_seq, woken_at, due_at, fence
FROM wakes WHERE ready_at = 0 ORDER BY woken_at LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: DueHints :many
SELECT stream, wake_seq, ready_at, due_at, fence
FROM wakes WHERE ready_at > 0 AND ready_at <= CAST(sqlc.arg(now) AS INTEGER) ORDER BY ready_at
LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: HoldHint :exec
UPDATE wakes SET
    fence       = fence + 1,
    holder      = sqlc.arg(holder),
    lease_until = sqlc.arg(lease_until),
    seen_due    = sqlc.arg(seen_due)
WHERE stream = sqlc.arg(stream);

-- name: Raised :one
SELECT wake_seq,
    CAST((SELECT coalesce(max(seq), 0) FROM events WHERE events.stream = wakes.stream) AS INTEGER) AS head
FROM wakes WHERE wakes.stream = ?;

-- name: RestHint :one
UPDATE wakes SET
    done_seq    = max(done_seq, CAST(sqlc.arg(seen) AS INTEGER)),
    woken_at    = sqlc.arg(now),
    due_at      = CASE WHEN due_at = seen_due THEN NULL ELSE due_at END,
    seen_due    = NULL,
    holder      = '',
    lease_until = 0
WHERE stream = sqlc.arg(stream) AND fence = sqlc.arg(fence)
RETURNING wake_seq > done_seq AS pending;

-- name: FreeHints :exec
UPDATE wakes SET holder = '', lease_until = 0, seen_due = NULL WHERE holder = ?;

-- name: NextDue :one
SELECT due_at FROM wakes WHERE due_at IS NOT NULL AND seen_due IS NULL ORDER BY due_at LIMIT 1;

-- name: StirProject :execrows
UPDATE wakes SET
    woken_at = CASE WHEN wake_seq > done_seq THEN woken_at ELSE sqlc.arg(now) END,
    wake_seq = wake_seq + 1
WHERE stream IN (
    SELECT 'run/' || id FROM runs
    WHERE project_id = sqlc.arg(project) AND status = 'active' AND limited = 1 AND id <> sqlc.arg(run));
