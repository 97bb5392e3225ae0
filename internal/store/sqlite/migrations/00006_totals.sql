-- +goose Up

-- What the runs of a project have used is summed up at every step of a run with
-- limits, and whenever a project is looked at: from here alone, without reading
-- the runs, whose goals are long.
CREATE INDEX idx_runs_totals ON runs(project_id, id, cost_usd, tokens, attempts, status, worked, updated_at);

-- The open runs of a project are few among many.
CREATE INDEX idx_runs_project_open ON runs(project_id, started_at)
    WHERE status NOT IN ('completed', 'failed', 'cancelled');
