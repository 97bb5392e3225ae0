-- name: PutEngine :exec
INSERT INTO engines (id, host, place, lease_until) VALUES (sqlc.arg(id), sqlc.arg(host), sqlc.arg(place), sqlc.arg(lease_until))
ON CONFLICT (id) DO UPDATE SET host = excluded.host, place = excluded.place, lease_until = excluded.lease_until;

-- name: RenewEngine :execrows
UPDATE engines SET lease_until = sqlc.arg(lease_until) WHERE id = sqlc.arg(id);

-- name: LetEngineGo :exec
UPDATE engines SET lease_until = 0 WHERE id = ?;

-- name: ForgetEngines :many
DELETE FROM engines WHERE engines.lease_until < CAST(sqlc.arg(before) AS INTEGER)
    AND NOT EXISTS (SELECT 1 FROM owners WHERE owners.engine = engines.id AND owners.held = 1)
    AND EXISTS (SELECT 1 FROM documents WHERE documents.kind = 'engine-life' AND documents.key = engines.id AND documents.at < CAST(sqlc.arg(before) AS INTEGER))
RETURNING id;

-- name: ForgetLife :exec
DELETE FROM documents WHERE kind = 'engine-life' AND key = ?;

-- name: Inherit :exec
UPDATE owners SET fence = fence + 1 WHERE engine = ? AND held = 1;

-- name: Owned :many
SELECT owners.project, owners.fence,
    CAST(NOT EXISTS (SELECT 1 FROM runs WHERE runs.project_id = owners.project AND runs.status NOT IN ('completed', 'failed', 'cancelled'))
        AND NOT EXISTS (SELECT 1 FROM projects WHERE projects.id = owners.project AND projects.queued > 0) AS INTEGER) AS idle
FROM owners WHERE owners.engine = CAST(sqlc.arg(engine) AS TEXT) AND owners.held = 1 ORDER BY owners.project;

-- name: Owner :one
SELECT owners.engine, owners.fence, owners.held,
    CAST(coalesce(engines.lease_until, 0) AS INTEGER) AS lease_until
FROM owners LEFT JOIN engines ON engines.id = owners.engine WHERE owners.project = CAST(sqlc.arg(project) AS TEXT);

-- name: OwnerEngine :one
SELECT engines.id, engines.host, engines.place FROM owners JOIN engines ON engines.id = owners.engine
WHERE owners.project = CAST(sqlc.arg(project) AS TEXT) AND owners.held = 1 AND engines.lease_until > CAST(sqlc.arg(now) AS INTEGER);

-- name: Engines :many
SELECT engines.id, engines.host, engines.place, engines.lease_until, CAST(coalesce(owners.project, '') AS TEXT) AS project
FROM engines LEFT JOIN owners ON owners.engine = engines.id AND owners.held = 1 ORDER BY engines.id, owners.project;

-- name: Fence :one
SELECT fence FROM owners WHERE project = ? AND held = 1;

-- name: PutOwner :exec
INSERT INTO owners (project, engine, fence, held) VALUES (sqlc.arg(project), sqlc.arg(engine), 1, 1)
ON CONFLICT (project) DO UPDATE SET engine = excluded.engine, fence = fence + 1, held = 1;

-- name: LetProjectGo :execrows
UPDATE owners SET held = 0 WHERE project = ? AND fence = ? AND held = 1;

-- A project is adrift if something of it is to be looked at, or an engine left it in the
-- middle of something, and nobody whose lease has not run out owns it. Most projects have an
-- owner that is well, so the search begins with engines that are gone; CROSS JOIN keeps that
-- order. The engine of a version without owners has no row.

-- name: Adrift :many
SELECT DISTINCT wakes.project, CAST(coalesce(owners.engine, '') AS TEXT) AS engine,
    CAST(coalesce(owners.fence, 0) AS INTEGER) AS fence, CAST(coalesce(engines.host, '') AS TEXT) AS host
FROM wakes LEFT JOIN owners ON owners.project = wakes.project LEFT JOIN engines ON engines.id = owners.engine
WHERE wakes.ready_at <= CAST(sqlc.arg(now) AS INTEGER) AND wakes.project >= CAST(sqlc.arg(first) AS TEXT)
    AND (owners.held IS NULL OR owners.held = 0 OR coalesce(engines.lease_until, 0) <= CAST(sqlc.arg(now) AS INTEGER))
UNION
SELECT owners.project, owners.engine, owners.fence, engines.host
FROM engines CROSS JOIN owners ON owners.engine = engines.id
WHERE owners.held = 1 AND engines.lease_until <= CAST(sqlc.arg(now) AS INTEGER) AND owners.project >= CAST(sqlc.arg(first) AS TEXT)
UNION
SELECT owners.project, owners.engine, owners.fence, '' FROM owners
WHERE owners.held = 1 AND owners.engine = '' AND owners.project >= CAST(sqlc.arg(first) AS TEXT)
ORDER BY 1 LIMIT CAST(sqlc.arg(most) AS INTEGER);
