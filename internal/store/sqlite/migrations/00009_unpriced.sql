-- +goose Up

-- How many attempts ended without saying what they cost. Of runs before this, it is
-- known only where none of their attempts did.
ALTER TABLE runs ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;
DROP INDEX idx_runs_totals;
CREATE INDEX idx_runs_totals ON runs(project_id, id, cost_usd, unpriced, tokens, attempts, status, worked, updated_at);
UPDATE runs SET unpriced = attempts WHERE cost_usd = 0;
UPDATE projects SET unpriced = (SELECT coalesce(sum(runs.unpriced), 0) FROM runs WHERE runs.project_id = projects.id);

-- +goose StatementBegin
CREATE TRIGGER project_unpriced AFTER INSERT ON projects BEGIN
    UPDATE projects SET unpriced = (SELECT coalesce(sum(runs.unpriced), 0) FROM runs WHERE runs.project_id = NEW.id) WHERE id = NEW.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER project_run_unpriced AFTER INSERT ON runs WHEN NEW.unpriced > 0 BEGIN
    UPDATE projects SET unpriced = unpriced + NEW.unpriced WHERE id = NEW.project_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER project_run_repriced AFTER UPDATE OF unpriced ON runs WHEN OLD.unpriced <> NEW.unpriced BEGIN
    UPDATE projects SET unpriced = unpriced + NEW.unpriced - OLD.unpriced WHERE id = NEW.project_id;
END;
-- +goose StatementEnd
