-- +goose Up

-- What the attempts of a run that are under way have reserved and not spent: nobody
-- else of its project can reserve it. No attempt from before has reserved anything.
ALTER TABLE runs ADD COLUMN held_usd REAL NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN held_tokens INTEGER NOT NULL DEFAULT 0;
DROP INDEX idx_runs_totals;
CREATE INDEX idx_runs_totals ON runs(project_id, id, cost_usd, unpriced, tokens, attempts, status, worked, updated_at, held_usd, held_tokens);
