-- +goose Up

-- worked is for how many microseconds the run had worked at updated_at. A run
-- from before has a row that says so once something happens in it.
ALTER TABLE runs ADD COLUMN worked INTEGER NOT NULL DEFAULT 0;
