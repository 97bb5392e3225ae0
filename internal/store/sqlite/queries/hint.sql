-- Every commit counts: a look under way answers only for what was raised before it began.

-- name: Raise :exec
INSERT INTO wakes (stream, project, wake_seq, done_seq, woken_at, due_at, due_seq)
VALUES (sqlc.arg(stream), sqlc.arg(project), sqlc.arg(reasons), 0, sqlc.arg(now), sqlc.arg(due_at), 1)
ON CONFLICT (stream) DO UPDATE SET
    project  = excluded.project,
    woken_at = CASE WHEN wake_seq > done_seq THEN woken_at ELSE excluded.woken_at END,
    wake_seq = wake_seq + excluded.wake_seq,
    due_at   = excluded.due_at,
    due_seq  = due_seq + 1;

-- name: RaiseWaiter :exec
UPDATE wakes SET
    woken_at = CASE WHEN wake_seq > done_seq THEN woken_at ELSE sqlc.arg(now) END,
    wake_seq = wake_seq + 1
WHERE stream = sqlc.arg(stream);

-- name: RaiseOpen :exec
UPDATE wakes SET
    woken_at = CASE WHEN wake_seq > done_seq THEN woken_at ELSE sqlc.arg(now) END,
    wake_seq = wake_seq + 1
WHERE stream IN (
    SELECT 'run/' || id FROM runs
    WHERE project_id = sqlc.arg(project) AND status NOT IN ('completed', 'failed', 'cancelled'));

-- name: PendingHints :many
SELECT wakes.stream, wakes.project, wakes.wake_seq, wakes.woken_at, wakes.due_at, wakes.due_seq, owners.fence,
    CAST(coalesce((SELECT max(seq) FROM events WHERE events.stream = wakes.stream), 0) AS INTEGER) AS head
FROM wakes JOIN owners ON owners.project = wakes.project AND owners.held = 1 AND owners.engine = CAST(sqlc.arg(engine) AS TEXT)
WHERE wakes.ready_at = 0 ORDER BY wakes.woken_at LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: DueHints :many
SELECT wakes.stream, wakes.project, wakes.wake_seq, wakes.ready_at, wakes.due_at, wakes.due_seq, owners.fence,
    CAST(coalesce((SELECT max(seq) FROM events WHERE events.stream = wakes.stream), 0) AS INTEGER) AS head
FROM wakes JOIN owners ON owners.project = wakes.project AND owners.held = 1 AND owners.engine = CAST(sqlc.arg(engine) AS TEXT)
WHERE wakes.ready_at > 0 AND wakes.ready_at <= CAST(sqlc.arg(now) AS INTEGER) ORDER BY wakes.ready_at
LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: Raised :one
SELECT wake_seq FROM wakes WHERE stream = ?;

-- name: RestHint :one
UPDATE wakes SET
    done_seq = max(done_seq, CAST(sqlc.arg(seen) AS INTEGER)),
    woken_at = sqlc.arg(now),
    due_at   = CASE WHEN due_seq = CAST(sqlc.arg(due_seq) AS INTEGER) THEN NULL ELSE due_at END
WHERE stream = sqlc.arg(stream)
RETURNING wake_seq > done_seq AS pending;

-- name: NextDue :one
SELECT due_at FROM wakes WHERE due_at IS NOT NULL AND due_at > CAST(sqlc.arg(after) AS INTEGER) ORDER BY due_at LIMIT 1;

-- name: StirProject :execrows
UPDATE wakes SET
    woken_at = CASE WHEN wake_seq > done_seq THEN woken_at ELSE sqlc.arg(now) END,
    wake_seq = wake_seq + 1
WHERE stream IN (
    SELECT 'run/' || id FROM runs
    WHERE project_id = sqlc.arg(project) AND status = 'active' AND limited = 1 AND id <> sqlc.arg(run));
