-- +goose Up

-- What people decided about a project. status is 'paused' while paused says why;
-- otherwise it is run_status, where the run that drives the project has brought it.
ALTER TABLE projects ADD COLUMN playbook    TEXT    NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN paused      TEXT    NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN archived_at INTEGER;
ALTER TABLE projects ADD COLUMN queued      INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN refused     INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN run_status  TEXT    NOT NULL DEFAULT 'active';
ALTER TABLE projects ADD COLUMN run_reason  TEXT    NOT NULL DEFAULT '';

UPDATE projects SET run_status = status;

CREATE INDEX idx_projects_name ON projects(name);
