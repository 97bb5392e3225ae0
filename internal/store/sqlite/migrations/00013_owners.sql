-- +goose Up

-- Engines and the projects they own. An engine's lease covers everything that it owns, so
-- that renewing it is one row. fence counts a project's owners; held is 0 once the engine
-- has given the project back, and engine then says who had it last.
CREATE TABLE engines (
    id          TEXT    NOT NULL PRIMARY KEY,
    host        TEXT    NOT NULL,
    lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE owners (
    project TEXT    NOT NULL PRIMARY KEY,
    engine  TEXT    NOT NULL,
    fence   INTEGER NOT NULL,
    held    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The engine of before had no name and is gone: the first to come takes over what it had open.
INSERT INTO owners (project, engine, fence, held)
SELECT DISTINCT project_id, '', 1, 1 FROM runs WHERE status NOT IN ('completed', 'failed', 'cancelled');

CREATE INDEX idx_owners_engine ON owners(engine) WHERE held = 1;

-- Only its project's owner looks at a stream, so a hint is held by nobody. due_seq counts how
-- often a time was set: a look ends the one it was told of, and no other.
CREATE TABLE hints (
    stream   TEXT    NOT NULL PRIMARY KEY,
    project  TEXT    NOT NULL,
    wake_seq INTEGER NOT NULL,
    done_seq INTEGER NOT NULL,
    woken_at INTEGER NOT NULL,
    due_at   INTEGER,
    due_seq  INTEGER NOT NULL,
    ready_at INTEGER GENERATED ALWAYS AS (
        CASE WHEN wake_seq > done_seq THEN 0 ELSE due_at END) VIRTUAL
) STRICT;

INSERT INTO hints (stream, project, wake_seq, done_seq, woken_at, due_at, due_seq)
SELECT stream,
    CASE WHEN stream LIKE 'project/%' THEN substr(stream, 9)
         ELSE coalesce((SELECT project_id FROM runs WHERE 'run/' || runs.id = wakes.stream), '') END,
    wake_seq, done_seq, woken_at, due_at, 1
FROM wakes;

DROP TABLE wakes;
ALTER TABLE hints RENAME TO wakes;

CREATE INDEX idx_wakes_ready ON wakes(ready_at, woken_at);
CREATE INDEX idx_wakes_due ON wakes(due_at) WHERE due_at IS NOT NULL;
