-- name: PutRun :exec
INSERT INTO runs (id, alias, project_id, title, goal, issue, status, reason, stage, branch, base, url,
    isolation, attempts, cost_usd, tokens, started_at, updated_at, ended_at, limited, worked, unpriced, held_usd, held_tokens)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
    alias = excluded.alias, project_id = excluded.project_id, title = excluded.title, goal = excluded.goal,
    issue = excluded.issue, status = excluded.status, reason = excluded.reason, stage = excluded.stage,
    branch = excluded.branch, base = excluded.base, url = excluded.url, isolation = excluded.isolation,
    attempts = excluded.attempts, cost_usd = excluded.cost_usd, tokens = excluded.tokens,
    started_at = excluded.started_at, updated_at = excluded.updated_at, ended_at = excluded.ended_at,
    limited = excluded.limited, worked = excluded.worked, unpriced = excluded.unpriced,
    held_usd = excluded.held_usd, held_tokens = excluded.held_tokens;

-- UpdateRun replaces a row where nothing changed that an index is over: setting
-- such a column writes its index even to the same value.

-- name: UpdateRun :execrows
UPDATE runs SET
    title = ?, goal = ?, issue = ?, reason = ?, stage = ?, branch = ?, base = ?, url = ?, isolation = ?,
    attempts = ?, cost_usd = ?, tokens = ?, updated_at = ?, ended_at = ?, worked = ?, unpriced = ?,
    held_usd = ?, held_tokens = ?
WHERE id = ? AND alias = ? AND project_id = ? AND status = ? AND started_at = ? AND limited = ?;

-- name: Run :one
SELECT * FROM runs WHERE id = ?;

-- name: RunByAlias :one
SELECT * FROM runs WHERE alias = CAST(sqlc.arg(alias) AS TEXT) ORDER BY started_at DESC, id DESC LIMIT 1;

-- name: Runs :many
SELECT * FROM runs ORDER BY started_at DESC, id DESC LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: OpenRuns :many
SELECT * FROM runs WHERE status NOT IN ('completed', 'failed', 'cancelled')
ORDER BY started_at DESC, id DESC LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: ProjectRuns :many
SELECT * FROM runs WHERE project_id = CAST(sqlc.arg(project_id) AS TEXT) ORDER BY started_at DESC, id DESC LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: OpenProjectRuns :many
SELECT * FROM runs WHERE project_id = CAST(sqlc.arg(project_id) AS TEXT) AND status NOT IN ('completed', 'failed', 'cancelled')
ORDER BY started_at DESC, id DESC LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: RunPage :many
SELECT * FROM runs
WHERE started_at <= sqlc.arg(at) AND (started_at < sqlc.arg(at) OR id < sqlc.arg(id))
    AND (CAST(sqlc.arg(status) AS TEXT) = '' OR status = sqlc.arg(status))
    AND (CAST(sqlc.arg(any_status) AS INTEGER) OR status NOT IN ('completed', 'failed', 'cancelled'))
ORDER BY started_at DESC, id DESC LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: ProjectRunPage :many
SELECT * FROM runs
WHERE project_id = CAST(sqlc.arg(project_id) AS TEXT) AND started_at <= CAST(sqlc.arg(at) AS INTEGER) AND (started_at < CAST(sqlc.arg(at) AS INTEGER) OR id < sqlc.arg(id))
    AND (CAST(sqlc.arg(status) AS TEXT) = '' OR status = sqlc.arg(status))
    AND (CAST(sqlc.arg(any_status) AS INTEGER) OR status NOT IN ('completed', 'failed', 'cancelled'))
ORDER BY started_at DESC, id DESC LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: RunTotals :one
SELECT count(*) AS runs, CAST(coalesce(sum(cost_usd), 0) AS REAL) AS cost_usd, CAST(coalesce(sum(unpriced), 0) AS INTEGER) AS unpriced, CAST(coalesce(sum(tokens), 0) AS INTEGER) AS tokens,
    CAST(coalesce(max(updated_at), 0) AS INTEGER) AS updated_at
FROM runs WHERE project_id = ?;

-- name: PutProject :exec
INSERT INTO projects (id, name, repo_url, default_branch, integration_branch, status, current_epic,
    last_activity, created_at, created_by, pr_url, pr_number,
    playbook, paused, archived_at, queued, refused, run_status, run_reason)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
    name = excluded.name, repo_url = excluded.repo_url, default_branch = excluded.default_branch,
    integration_branch = excluded.integration_branch, status = excluded.status, current_epic = excluded.current_epic,
    last_activity = max(last_activity, excluded.last_activity), created_at = excluded.created_at, created_by = excluded.created_by,
    pr_url = excluded.pr_url, pr_number = excluded.pr_number, playbook = excluded.playbook, paused = excluded.paused,
    archived_at = excluded.archived_at, queued = excluded.queued, refused = excluded.refused,
    run_status = excluded.run_status, run_reason = excluded.run_reason;

-- name: Project :one
SELECT * FROM projects WHERE id = ?;

-- name: ProjectByName :one
SELECT * FROM projects WHERE name = CAST(sqlc.arg(name) AS TEXT) ORDER BY created_at, id LIMIT 1;

-- name: Projects :many
SELECT * FROM projects ORDER BY last_activity DESC, id LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: DriveProject :exec
UPDATE projects SET
    status = CASE WHEN paused <> '' THEN 'paused' ELSE sqlc.arg(status) END,
    run_status = sqlc.arg(status), run_reason = sqlc.arg(reason), current_epic = sqlc.arg(current_epic), integration_branch = sqlc.arg(integration_branch),
    last_activity = max(last_activity, CAST(sqlc.arg(last_activity) AS INTEGER)), pr_url = sqlc.arg(pr_url), pr_number = sqlc.arg(pr_number)
WHERE projects.id = sqlc.arg(id);

-- name: StandProject :exec
UPDATE projects SET
    name = sqlc.arg(name), playbook = sqlc.arg(playbook), paused = sqlc.arg(paused), archived_at = sqlc.arg(archived_at),
    queued = sqlc.arg(queued), refused = sqlc.arg(refused),
    last_activity = max(last_activity, CAST(sqlc.arg(at) AS INTEGER)),
    status = CASE WHEN CAST(sqlc.arg(paused) AS TEXT) <> '' THEN 'paused' ELSE run_status END
WHERE id = sqlc.arg(id);

-- name: TaskCounts :many
SELECT status, count(*) AS tasks FROM tasks WHERE project_id = CAST(sqlc.arg(project_id) AS TEXT) GROUP BY status;

-- name: PutTask :exec
INSERT INTO tasks (run_id, id, addressee, project_id, task_type, status, prompt, repo_url, branch,
    triggered_by_task_id, created_by, created_at, started_at, completed_at, result, worker_pod)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (run_id, id) DO UPDATE SET
    addressee = excluded.addressee, project_id = excluded.project_id, task_type = excluded.task_type,
    status = excluded.status, prompt = excluded.prompt, repo_url = excluded.repo_url, branch = excluded.branch,
    triggered_by_task_id = excluded.triggered_by_task_id, created_by = excluded.created_by,
    created_at = excluded.created_at, started_at = excluded.started_at, completed_at = excluded.completed_at,
    result = excluded.result, worker_pod = excluded.worker_pod;

-- name: Tasks :many
SELECT * FROM tasks WHERE run_id = CAST(sqlc.arg(run_id) AS TEXT) ORDER BY created_at, id;

-- name: Recall :one
SELECT verdict FROM verdicts WHERE key = ?;

-- name: Remember :exec
INSERT INTO verdicts (key, verdict, at) VALUES (?, ?, ?)
ON CONFLICT (key) DO UPDATE SET verdict = excluded.verdict, at = excluded.at;

-- An active run has worked on since its row was written.

-- name: Spent :one
SELECT CAST(coalesce(sum(cost_usd), 0) AS REAL) AS cost_usd, CAST(coalesce(sum(tokens), 0) AS INTEGER) AS tokens,
    CAST(coalesce(sum(attempts), 0) AS INTEGER) AS attempts, CAST(coalesce(sum(status = 'active'), 0) AS INTEGER) AS working,
    CAST(coalesce(sum(worked + CASE WHEN status = 'active' THEN max(CAST(sqlc.arg(at) AS INTEGER) - updated_at, 0) ELSE 0 END), 0) AS INTEGER) AS worked,
    CAST(coalesce(sum(unpriced), 0) AS INTEGER) AS unpriced,
    CAST(coalesce(sum(held_usd), 0) AS REAL) AS held_usd, CAST(coalesce(sum(held_tokens), 0) AS INTEGER) AS held_tokens
FROM runs WHERE project_id = sqlc.arg(project_id) AND id <> sqlc.arg(id);

-- name: Spending :many
SELECT CAST(started_at / 86400000000 AS INTEGER) AS day, project_id, count(*) AS runs,
    CAST(coalesce(sum(attempts), 0) AS INTEGER) AS attempts, CAST(coalesce(sum(cost_usd), 0) AS REAL) AS cost_usd, CAST(coalesce(sum(unpriced), 0) AS INTEGER) AS unpriced,
    CAST(coalesce(sum(tokens), 0) AS INTEGER) AS tokens
FROM runs WHERE started_at >= ? GROUP BY 1, 2 ORDER BY 1, 2;
