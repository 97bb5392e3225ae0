-- +goose Up

-- Where an engine's attempts take their slots; '' if it is of a version that did not say so.
ALTER TABLE engines ADD COLUMN place TEXT NOT NULL DEFAULT '';
