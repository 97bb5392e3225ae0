-- +goose Up

-- The totals of a project are those of all its runs and tasks, of whichever kind
-- they are. They follow each row that is written, so that a list of projects reads
-- nothing but projects. A run or a task stays in its project and is never removed.

-- +goose StatementBegin
CREATE TRIGGER project_totals AFTER INSERT ON projects BEGIN
    UPDATE projects SET
        total_tasks = (SELECT count(*) FROM tasks WHERE tasks.project_id = NEW.id),
        completed_tasks = (SELECT count(*) FROM tasks WHERE tasks.project_id = NEW.id AND tasks.status = 'completed'),
        failed_tasks = (SELECT count(*) FROM tasks WHERE tasks.project_id = NEW.id AND tasks.status = 'failed'),
        total_cost_usd = (SELECT coalesce(sum(runs.cost_usd), 0.0) FROM runs WHERE runs.project_id = NEW.id),
        last_activity = max(last_activity, (SELECT coalesce(max(runs.updated_at), 0) FROM runs WHERE runs.project_id = NEW.id))
    WHERE id = NEW.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER project_task_made AFTER INSERT ON tasks BEGIN
    UPDATE projects SET
        total_tasks = total_tasks + 1,
        completed_tasks = completed_tasks + (NEW.status = 'completed'),
        failed_tasks = failed_tasks + (NEW.status = 'failed')
    WHERE id = NEW.project_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER project_task_moved AFTER UPDATE OF status ON tasks WHEN OLD.status <> NEW.status BEGIN
    UPDATE projects SET
        completed_tasks = completed_tasks + (NEW.status = 'completed') - (OLD.status = 'completed'),
        failed_tasks = failed_tasks + (NEW.status = 'failed') - (OLD.status = 'failed')
    WHERE id = NEW.project_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER project_run_made AFTER INSERT ON runs BEGIN
    UPDATE projects SET
        total_cost_usd = total_cost_usd + NEW.cost_usd, last_activity = max(last_activity, NEW.updated_at)
    WHERE id = NEW.project_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER project_run_moved AFTER UPDATE ON runs WHEN OLD.cost_usd <> NEW.cost_usd OR OLD.updated_at <> NEW.updated_at BEGIN
    UPDATE projects SET
        total_cost_usd = total_cost_usd + NEW.cost_usd - OLD.cost_usd, last_activity = max(last_activity, NEW.updated_at)
    WHERE id = NEW.project_id;
END;
-- +goose StatementEnd

UPDATE projects SET
    total_tasks = (SELECT count(*) FROM tasks WHERE tasks.project_id = projects.id),
    completed_tasks = (SELECT count(*) FROM tasks WHERE tasks.project_id = projects.id AND tasks.status = 'completed'),
    failed_tasks = (SELECT count(*) FROM tasks WHERE tasks.project_id = projects.id AND tasks.status = 'failed'),
    total_cost_usd = (SELECT coalesce(sum(runs.cost_usd), 0.0) FROM runs WHERE runs.project_id = projects.id),
    last_activity = max(last_activity, (SELECT coalesce(max(runs.updated_at), 0) FROM runs WHERE runs.project_id = projects.id));
