-- +goose Up

-- limited is 1 for a run that is held to limits of its project: only such a run
-- has to hear of what the project's others spend. A run from before may be one.
ALTER TABLE runs ADD COLUMN limited INTEGER NOT NULL DEFAULT 1;

CREATE INDEX idx_runs_limited ON runs(project_id) WHERE status = 'active' AND limited = 1;
