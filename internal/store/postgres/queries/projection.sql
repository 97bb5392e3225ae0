-- name: Run :one
SELECT * FROM runs WHERE id = $1;

-- name: RunByAlias :one
SELECT * FROM runs WHERE alias = $1 ORDER BY started_at DESC, id DESC LIMIT 1;

-- Runs are listed from the newest, from one on: those that began before a moment, or then with a smaller id.

-- name: Runs :many
SELECT * FROM runs
WHERE (started_at, id) < (sqlc.arg(at)::timestamptz, sqlc.arg(id)::text) AND (sqlc.arg(status)::text = '' OR status = sqlc.arg(status)::text)
ORDER BY started_at DESC, id DESC LIMIT sqlc.narg(most)::bigint;

-- name: OpenRuns :many
SELECT * FROM runs
WHERE (started_at, id) < (sqlc.arg(at)::timestamptz, sqlc.arg(id)::text) AND (sqlc.arg(status)::text = '' OR status = sqlc.arg(status)::text)
    AND status NOT IN ('completed', 'failed', 'cancelled')
ORDER BY started_at DESC, id DESC LIMIT sqlc.narg(most)::bigint;

-- name: ProjectRuns :many
SELECT * FROM runs
WHERE project_id = $1 AND (started_at, id) < (sqlc.arg(at)::timestamptz, sqlc.arg(id)::text) AND (sqlc.arg(status)::text = '' OR status = sqlc.arg(status)::text)
ORDER BY started_at DESC, id DESC LIMIT sqlc.narg(most)::bigint;

-- name: OpenProjectRuns :many
SELECT * FROM runs
WHERE project_id = $1 AND (started_at, id) < (sqlc.arg(at)::timestamptz, sqlc.arg(id)::text) AND (sqlc.arg(status)::text = '' OR status = sqlc.arg(status)::text)
    AND status NOT IN ('completed', 'failed', 'cancelled')
ORDER BY started_at DESC, id DESC LIMIT sqlc.narg(most)::bigint;

-- name: RunTotals :one
SELECT count(*) AS runs, coalesce(sum(cost_usd::numeric), 0)::float8 AS cost_usd, coalesce(sum(unpriced), 0)::bigint AS unpriced, coalesce(sum(tokens), 0)::bigint AS tokens,
    coalesce(max(updated_at), 'epoch')::timestamptz AS updated_at
FROM runs WHERE project_id = $1;

-- name: Project :one
SELECT id, name, repo_url, default_branch, integration_branch, status, current_epic, last_activity, created_at, created_by, total_tasks, completed_tasks, failed_tasks,
    total_cost_usd::float8 AS total_cost_usd, unpriced, pr_url, pr_number, playbook, paused, run_reason, archived_at, queued, refused
FROM projects WHERE id = sqlc.arg(id_or_name)::text OR name = sqlc.arg(id_or_name)::text
ORDER BY id = sqlc.arg(id_or_name)::text DESC, created_at, id LIMIT 1;

-- name: Projects :many
SELECT id, name, repo_url, default_branch, integration_branch, status, current_epic, last_activity, created_at, created_by, total_tasks, completed_tasks, failed_tasks,
    total_cost_usd::float8 AS total_cost_usd, unpriced, pr_url, pr_number, playbook, paused, run_reason, archived_at, queued, refused
FROM projects ORDER BY last_activity DESC, id LIMIT sqlc.narg(most)::bigint;

-- name: TaskCounts :many
SELECT status, count(*) AS tasks FROM tasks WHERE project_id = $1 GROUP BY status;

-- name: Tasks :many
SELECT run_id, task, addressee, project_id, task_type, status, prompt, repo_url, branch, triggered_by, created_by, created_at, started_at, completed_at, result, worker_pod
FROM tasks WHERE run_id = $1 ORDER BY created_at, task;

-- name: Messages :many
SELECT m.* FROM messages m
WHERE m.project_id = sqlc.arg(project_id)::text AND (sqlc.arg(conversation)::text = '' OR m.conversation_id = sqlc.arg(conversation)::text)
    AND (m.at, m.run_id, m.seq) > (sqlc.arg(at)::timestamptz, sqlc.arg(run_id)::text, sqlc.arg(seq)::bigint)
ORDER BY m.at, m.run_id, m.seq LIMIT sqlc.narg(most)::bigint;

-- name: LastMessages :many
SELECT m.* FROM messages m
WHERE m.project_id = sqlc.arg(project_id)::text AND (sqlc.arg(conversation)::text = '' OR m.conversation_id = sqlc.arg(conversation)::text)
ORDER BY m.at DESC, m.run_id DESC, m.seq DESC LIMIT sqlc.narg(most)::bigint;

-- name: MessageByEvent :one
SELECT * FROM messages WHERE event = $1;

-- name: Conversations :many
SELECT c.id, c.project_id, c.name, c.created_by, c.created_at,
    (SELECT count(*) FROM messages m WHERE m.conversation_id = c.id) AS messages,
    coalesce((SELECT max(m.at) FROM messages m WHERE m.conversation_id = c.id), 'epoch')::timestamptz AS last_at
FROM conversations c WHERE c.project_id = $1 ORDER BY c.created_at, c.id;

-- A question is open while its run is and no answer follows it there.

-- name: OpenQuestions :many
SELECT q.* FROM messages q JOIN runs r ON r.id = q.run_id
WHERE q.kind = 'question' AND r.status NOT IN ('completed', 'failed', 'cancelled') AND NOT EXISTS (
    SELECT 1 FROM messages a WHERE a.question_id = q.question_id AND a.run_id = q.run_id AND a.seq > q.seq AND a.kind = 'answer')
ORDER BY q.at, q.run_id, q.seq;

-- name: AboutQuestion :many
SELECT * FROM messages WHERE question_id <> '' AND question_id >= sqlc.arg(prefix)::text AND starts_with(question_id, sqlc.arg(prefix)::text)
ORDER BY at, run_id, seq;
