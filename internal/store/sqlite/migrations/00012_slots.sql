-- +goose Up

-- An attempt that has its slots, or waits for them. seq is its place in the queue.
-- pool is the first of its pools. While it waits, it is filed under one of its
-- pools that is full for it: room is how many may hold that one.
CREATE TABLE slots (
    seq     INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    holder  TEXT    NOT NULL UNIQUE,
    stream  TEXT    NOT NULL,
    project TEXT    NOT NULL,
    pool    TEXT    NOT NULL,
    since   INTEGER NOT NULL,
    held    INTEGER NOT NULL,
    filed   TEXT    NOT NULL,
    room    INTEGER NOT NULL
) STRICT;
CREATE INDEX idx_slots_filed ON slots(filed, room, project, pool, seq) WHERE held = 0;
CREATE INDEX idx_slots_stream ON slots(stream);

-- The pools of each, of which it has a slot if held.
CREATE TABLE slot_pools (
    pool     TEXT    NOT NULL,
    held     INTEGER NOT NULL,
    project  TEXT    NOT NULL,
    holder   TEXT    NOT NULL,
    capacity INTEGER NOT NULL,
    PRIMARY KEY (pool, held, project, holder)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_slot_pools_holder ON slot_pools(holder);

-- Slots were claims, held by run/ID/ATTEMPT.
INSERT INTO slot_pools (pool, held, project, holder, capacity)
SELECT CASE WHEN key IN ('attempts', 'managers') THEN key || '@local' ELSE key END, 1,
    coalesce((SELECT project_id FROM runs WHERE 'run/' || id = substr(holder, 1, 3 + instr(substr(holder, 5), '/'))), ''), holder, capacity
FROM claims WHERE kind = 'slot';
INSERT INTO slots (holder, stream, project, pool, since, held, filed, room)
SELECT holder, substr(holder, 1, 3 + instr(substr(holder, 5), '/')), project, pool, 0, 1, '', 0
FROM slot_pools WHERE pool LIKE '%@local' ORDER BY holder;
DELETE FROM claims WHERE kind = 'slot';

-- Runs that waited have no place in the queue yet: a look gives them one.
UPDATE wakes SET wake_seq = wake_seq + 1 WHERE stream IN (SELECT 'run/' || id FROM runs WHERE status = 'active');
DELETE FROM waiters WHERE kind = 'slot';
