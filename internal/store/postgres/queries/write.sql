-- name: CommitBatch :one
SELECT commit_batch(sqlc.arg(batch)::jsonb, sqlc.arg(bodies)::bytea[], sqlc.arg(bases)::integer[], sqlc.arg(lazy)::boolean, sqlc.arg(teller)::text)::text AS answer;

-- name: Clock :one
SELECT clock_timestamp()::timestamptz AS now;

-- name: PutDocuments :one
SELECT put_documents(sqlc.arg(kinds)::text[], sqlc.arg(keys)::text[], sqlc.arg(seen)::bigint[], sqlc.arg(contents)::bytea[])::text AS kept;

-- name: DeleteDocument :execrows
DELETE FROM documents WHERE kind = $1 AND key = $2 AND version = $3;

-- name: Remember :exec
INSERT INTO verdicts (key, verdict, at) VALUES ($1, $2, clock_timestamp())
ON CONFLICT (key) DO UPDATE SET verdict = excluded.verdict, at = excluded.at;

-- name: Enlist :one
SELECT enlist(sqlc.arg(me)::text, sqlc.arg(host)::text, sqlc.arg(place)::text, make_interval(secs => sqlc.arg(lease)::float8))::bigint AS life;

-- An engine that begins a life takes the document of its lives first, so that is locked before the engine.

-- name: Forget :many
WITH lives AS (
    SELECT d.key FROM documents d JOIN engines e ON e.id = d.key
    WHERE d.kind = 'engine-life' AND d.at < clock_timestamp() - make_interval(secs => sqlc.arg(silent)::float8) AND e.lease_until < clock_timestamp() - make_interval(secs => sqlc.arg(silent)::float8)
        AND NOT EXISTS (SELECT 1 FROM owners o WHERE o.engine = e.id AND o.held) ORDER BY d.key FOR UPDATE OF d
), gone AS (
    DELETE FROM engines e USING lives WHERE e.id = lives.key AND e.lease_until < clock_timestamp() - make_interval(secs => sqlc.arg(silent)::float8) RETURNING e.id
)
DELETE FROM documents d USING gone WHERE d.kind = 'engine-life' AND d.key = gone.id RETURNING d.key;

-- name: Renew :one
SELECT renew(sqlc.arg(me)::text, sqlc.arg(life)::bigint, make_interval(secs => sqlc.arg(lease)::float8))::boolean AS known;

-- name: TakeProjects :one
SELECT coalesce(take_projects(sqlc.arg(me)::text, sqlc.arg(life)::bigint, make_interval(secs => sqlc.arg(lease)::float8), sqlc.arg(wanted)::text[])::text, '')::text AS taken;

-- name: YieldProjects :one
SELECT yield_projects(sqlc.arg(projects)::text[], sqlc.arg(fences)::bigint[])::boolean AS told;

-- name: Leave :exec
SELECT leave(sqlc.arg(me)::text, sqlc.arg(life)::bigint);
