-- name: Events :many
SELECT seq, id, type, v, at, actor, cause, prev_hash, body FROM events
WHERE stream = $1 AND seq > sqlc.arg(after) ORDER BY seq LIMIT sqlc.narg(most)::bigint;

-- name: Head :one
SELECT seq, hash, at FROM heads WHERE stream = $1;

-- name: Snapshot :one
SELECT seq, hash, at, format, state FROM snapshots WHERE stream = $1;

-- What is due is judged by the time that whoever asks has been told, which is a little behind.

-- name: Hints :many
SELECT h.stream, h.project, h.wake_seq, h.fence, h.due_seq, coalesce(d.seq, 0)::bigint AS head FROM (
    (SELECT w.stream, w.project, w.wake_seq, o.fence, w.woken_at AS since, CASE WHEN w.due_at <= sqlc.arg(now)::timestamptz THEN w.due_seq ELSE 0 END::bigint AS due_seq
    FROM wakes w JOIN owners o ON o.project = w.project AND o.held AND o.engine = sqlc.arg(engine)
    WHERE w.wake_seq > w.done_seq ORDER BY w.woken_at LIMIT sqlc.narg(most)::bigint)
    UNION ALL
    (SELECT w.stream, w.project, w.wake_seq, o.fence, w.due_at AS since, w.due_seq
    FROM wakes w JOIN owners o ON o.project = w.project AND o.held AND o.engine = sqlc.arg(engine)
    WHERE w.wake_seq <= w.done_seq AND w.due_at <= sqlc.arg(now)::timestamptz ORDER BY w.due_at LIMIT sqlc.narg(most)::bigint)
) h LEFT JOIN heads d ON d.stream = h.stream ORDER BY h.since LIMIT sqlc.narg(most)::bigint;

-- Without events there is one row, whose seq is 0.

-- name: Raised :many
SELECT w.wake_seq, coalesce(e.seq, 0)::bigint AS seq, coalesce(e.id, '')::text AS id, coalesce(e.type, '')::text AS type, coalesce(e.v, 0)::integer AS v,
    coalesce(e.at, 'epoch')::timestamptz AS at, coalesce(e.actor, '')::text AS actor, coalesce(e.cause, '')::text AS cause, coalesce(e.prev_hash, '')::text AS prev_hash,
    coalesce(e.body, '')::bytea AS body
FROM wakes w LEFT JOIN LATERAL (SELECT * FROM events n WHERE n.stream = w.stream AND n.seq > sqlc.arg(after)::bigint ORDER BY n.seq LIMIT sqlc.narg(most)::bigint) e ON true
WHERE w.stream = $1 ORDER BY e.seq;

-- name: NextDue :one
SELECT due_at::timestamptz AS due_at FROM wakes WHERE due_at IS NOT NULL AND due_at > sqlc.arg(after) ORDER BY due_at LIMIT 1;

-- name: Claims :many
SELECT kind, key, holder, capacity FROM claims ORDER BY kind, key, holder;

-- name: Holders :many
SELECT holder FROM claims WHERE kind = $1 AND key = $2 ORDER BY holder;

-- name: Recall :one
SELECT verdict FROM verdicts WHERE key = $1;

-- name: Document :one
SELECT version, at, data FROM documents WHERE kind = $1 AND key = $2;

-- name: Documents :many
SELECT key, version, at, data FROM documents
WHERE kind = $1 AND key >= sqlc.arg(prefix)::text AND starts_with(key, sqlc.arg(prefix)::text) AND key > sqlc.arg(after)::text
ORDER BY key LIMIT sqlc.narg(most)::bigint;

-- name: Owned :many
SELECT o.project, o.fence,
    (NOT EXISTS (SELECT 1 FROM runs r WHERE r.project_id = o.project AND r.status NOT IN ('completed', 'failed', 'cancelled'))
        AND NOT EXISTS (SELECT 1 FROM projects p WHERE p.id = o.project AND p.queued > 0))::boolean AS idle
FROM owners o WHERE o.engine = $1 AND o.held ORDER BY o.project;

-- A project is adrift if something of it is to be looked at, or an engine left it in the middle of something, and nobody whose lease
-- has not run out owns it. Every engine asks every second, so each part is one that an index answers: clock_timestamp() may change
-- while a statement runs, and no index is searched for what changes. Most projects have an owner that is well, so the search begins with
-- engines that are gone. The engine of a version without owners has no row.

-- name: Adrift :many
SELECT w.project, coalesce(o.engine, '')::text AS engine, coalesce(o.fence, 0)::bigint AS fence, coalesce(e.host, '')::text AS host
FROM (SELECT p.project FROM wakes p WHERE p.wake_seq > p.done_seq UNION SELECT d.project FROM wakes d WHERE d.due_at <= statement_timestamp()) w
LEFT JOIN owners o ON o.project = w.project LEFT JOIN engines e ON e.id = o.engine
WHERE w.project >= sqlc.arg(first)::text AND (o.held IS NOT TRUE OR coalesce(e.lease_until, '-infinity') <= statement_timestamp())
UNION
SELECT o.project, o.engine, o.fence, e.host FROM engines e
CROSS JOIN LATERAL (SELECT * FROM owners n WHERE n.engine = e.id AND n.held AND n.project >= sqlc.arg(first)::text ORDER BY n.project LIMIT sqlc.narg(most)::bigint) o
WHERE e.lease_until <= statement_timestamp()
UNION
SELECT o.project, o.engine, o.fence, '' FROM owners o WHERE o.engine = '' AND o.held AND o.project >= sqlc.arg(first)::text
ORDER BY 1 LIMIT sqlc.narg(most)::bigint;

-- name: Heads :many
SELECT stream, seq, hash, at FROM heads WHERE stream > sqlc.arg(after)::text ORDER BY stream LIMIT sqlc.narg(most)::bigint;

-- name: Engines :many
SELECT e.id, e.host, e.place, CASE WHEN isfinite(e.lease_until) THEN e.lease_until ELSE 'epoch' END::timestamptz AS lease_until,
    (e.lease_until > clock_timestamp())::boolean AS alive, coalesce(o.project, '')::text AS project
FROM engines e LEFT JOIN owners o ON o.engine = e.id AND o.held ORDER BY e.id, o.project;

-- name: OwnerEngine :one
SELECT e.id, e.host, e.place FROM owners o JOIN engines e ON e.id = o.engine WHERE o.project = $1 AND o.held AND e.lease_until > clock_timestamp();

-- name: Position :one
SELECT coalesce(max(position), 0)::bigint AS position FROM events;

-- name: Moved :many
SELECT position, stream FROM events WHERE position > sqlc.arg(after) ORDER BY position LIMIT sqlc.narg(most)::bigint;

-- name: MovedRuns :many
SELECT r.id FROM runs r JOIN heads h ON h.stream = 'run/' || r.id WHERE r.project_id = $1 AND h.position > sqlc.arg(after) ORDER BY r.id;

-- name: Slots :many
SELECT s.holder, s.stream, s.project, s.since, s.held, p.pool, p.capacity FROM slots s JOIN slot_pools p ON p.holder = s.holder
WHERE sqlc.arg(stream)::text = '' OR s.stream = sqlc.arg(stream)::text ORDER BY s.seq, p.pool <> s.pool, p.pool;

-- name: InLine :many
SELECT q.holder FROM slots q WHERE NOT q.held AND q.pool = (SELECT me.pool FROM slots me WHERE me.holder = $1)
ORDER BY (SELECT count(*) FROM slot_pools u WHERE u.pool = q.pool AND u.project = q.project AND u.held), q.seq;

-- name: Spent :one
SELECT s.cost::bigint AS cost, s.tokens::bigint AS tokens, s.attempts::bigint AS attempts, s.working::bigint AS working, s.unpriced::bigint AS unpriced,
    s.worked::bigint AS worked, s.held::bigint AS held, s.held_tokens::bigint AS held_tokens
FROM spent(sqlc.arg(project)::text, sqlc.arg(but)::text, sqlc.arg(at)::timestamptz) s;

-- name: Spending :many
SELECT (date_trunc('day', started_at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')::timestamptz AS day, project_id, count(*) AS runs, coalesce(sum(attempts), 0)::bigint AS attempts,
    coalesce(sum(cost_usd::numeric), 0)::float8 AS cost_usd, coalesce(sum(unpriced), 0)::bigint AS unpriced, coalesce(sum(tokens), 0)::bigint AS tokens
FROM runs WHERE started_at >= sqlc.arg(since) GROUP BY 1, 2 ORDER BY 1, 2;
