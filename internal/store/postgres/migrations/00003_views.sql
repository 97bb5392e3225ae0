-- +goose Up
SET LOCAL lock_timeout = '5s';
SET LOCAL idle_in_transaction_session_timeout = '10s';

-- What dashboards and psql may rely on: columns are added to these views, never renamed or removed.
CREATE VIEW v_projects AS SELECT id, name, repo_url, default_branch, nullif(integration_branch, '') AS integration_branch, status, nullif(current_epic, '') AS current_epic,
    last_activity, created_at, created_by, total_tasks, completed_tasks, failed_tasks, total_cost_usd, nullif(pr_url, '') AS pr_url, nullif(pr_number, 0) AS pr_number,
    nullif(paused, '') AS paused, archived_at, queued AS queued_epics FROM projects;
CREATE VIEW v_tasks AS SELECT id, run_id, task, addressee, project_id, task_type, status, prompt, repo_url, nullif(branch, '') AS branch, triggered_by_task_id,
    created_by, created_at, started_at, completed_at, completed_at - started_at AS duration, result, nullif(worker_pod, '') AS worker_pod FROM tasks;
CREATE VIEW v_runs AS SELECT id, alias, project_id, title, status, nullif(reason, '') AS reason, stage, branch, nullif(url, '') AS url, attempts, cost_usd, tokens, started_at, updated_at, ended_at FROM runs;
CREATE VIEW v_owners AS SELECT o.project, o.engine, e.host, e.place, o.fence, o.held, e.lease_until, o.held AND e.lease_until > clock_timestamp() AS alive
    FROM owners o LEFT JOIN engines e ON e.id = o.engine;
CREATE VIEW v_slots AS SELECT s.holder, s.project, s.stream, s.held, s.since, p.pool, p.capacity FROM slots s JOIN slot_pools p ON p.holder = s.holder;
CREATE VIEW v_events AS SELECT position, stream, seq, type, at, actor, convert_from(body, 'UTF8') AS body FROM events;
