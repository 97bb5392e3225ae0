-- Every time is an integer: microseconds since 1970, UTC. An absent text is ''.

-- +goose Up

-- The truth. hash is that of the event's own line: the prev_hash of the next.
CREATE TABLE events (
    stream    TEXT    NOT NULL,
    seq       INTEGER NOT NULL,
    id        TEXT    NOT NULL,
    type      TEXT    NOT NULL,
    v         INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    actor     TEXT    NOT NULL, -- JSON
    cause     TEXT    NOT NULL,
    prev_hash TEXT    NOT NULL,
    hash      TEXT    NOT NULL,
    body      BLOB    NOT NULL, -- JSON, byte for byte as it was committed
    PRIMARY KEY (stream, seq)
) STRICT;

CREATE TABLE snapshots (
    stream TEXT    NOT NULL PRIMARY KEY,
    seq    INTEGER NOT NULL,
    hash   TEXT    NOT NULL,
    at     INTEGER NOT NULL,
    format INTEGER NOT NULL,
    state  BLOB    NOT NULL
) STRICT;

-- One row per stream. wake_seq counts reasons to look, done_seq those that a
-- look has seen. seen_due is the due time that the look under way was told of.
-- ready_at is when the stream may be claimed: 0 for at once, NULL for never.
CREATE TABLE wakes (
    stream      TEXT    NOT NULL PRIMARY KEY,
    wake_seq    INTEGER NOT NULL,
    done_seq    INTEGER NOT NULL,
    woken_at    INTEGER NOT NULL,
    due_at      INTEGER,
    seen_due    INTEGER,
    fence       INTEGER NOT NULL,
    holder      TEXT    NOT NULL,
    lease_until INTEGER NOT NULL,
    ready_at    INTEGER GENERATED ALWAYS AS (
        CASE WHEN holder <> '' THEN lease_until
             WHEN wake_seq > done_seq THEN 0
             ELSE due_at END) VIRTUAL
) STRICT;

CREATE INDEX idx_wakes_ready ON wakes(ready_at, woken_at);
CREATE INDEX idx_wakes_due ON wakes(due_at) WHERE due_at IS NOT NULL AND seen_due IS NULL;

-- capacity is how many may hold (kind, key) at once, as the holder asked.
CREATE TABLE claims (
    kind     TEXT    NOT NULL,
    key      TEXT    NOT NULL,
    holder   TEXT    NOT NULL,
    capacity INTEGER NOT NULL,
    PRIMARY KEY (kind, key, holder)
) STRICT, WITHOUT ROWID;

CREATE TABLE waiters (
    kind   TEXT NOT NULL,
    key    TEXT NOT NULL,
    stream TEXT NOT NULL,
    PRIMARY KEY (kind, key, stream)
) STRICT, WITHOUT ROWID;

-- Projections. They are derived and refer to one another by value only: a
-- projection must never stand in the way of an event.

-- status: active, awaiting_approval, paused, completed, failed, cancelled
CREATE TABLE runs (
    id         TEXT    NOT NULL PRIMARY KEY,
    alias      TEXT    NOT NULL,
    project_id TEXT    NOT NULL,
    title      TEXT    NOT NULL,
    goal       TEXT    NOT NULL,
    issue      TEXT    NOT NULL,
    status     TEXT    NOT NULL DEFAULT 'active',
    reason     TEXT    NOT NULL,
    stage      TEXT    NOT NULL,
    branch     TEXT    NOT NULL,
    base       TEXT    NOT NULL,
    url        TEXT    NOT NULL,
    isolation  TEXT    NOT NULL,
    attempts   INTEGER NOT NULL DEFAULT 0,
    cost_usd   REAL    NOT NULL DEFAULT 0,
    tokens     INTEGER NOT NULL DEFAULT 0,
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at   INTEGER
) STRICT;

CREATE INDEX idx_runs_alias ON runs(alias);
CREATE INDEX idx_runs_started ON runs(started_at);
CREATE INDEX idx_runs_project ON runs(project_id, started_at);
CREATE INDEX idx_runs_open ON runs(started_at)
    WHERE status NOT IN ('completed', 'failed', 'cancelled');

-- status: active, paused, awaiting_review, completed, failed
CREATE TABLE projects (
    id                 TEXT    NOT NULL PRIMARY KEY,
    name               TEXT    NOT NULL,
    repo_url           TEXT    NOT NULL,
    default_branch     TEXT    NOT NULL DEFAULT 'main',
    integration_branch TEXT    NOT NULL,
    status             TEXT    NOT NULL DEFAULT 'active',
    current_epic       TEXT    NOT NULL,
    last_activity      INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    created_by         TEXT    NOT NULL,
    total_tasks        INTEGER NOT NULL DEFAULT 0,
    completed_tasks    INTEGER NOT NULL DEFAULT 0,
    failed_tasks       INTEGER NOT NULL DEFAULT 0,
    total_cost_usd     REAL    NOT NULL DEFAULT 0,
    pr_url             TEXT    NOT NULL,
    pr_number          INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX idx_projects_active ON projects(status, last_activity) WHERE status = 'active';

-- status: pending, running, completed, failed. A task's id is unique in its run.
CREATE TABLE tasks (
    run_id               TEXT    NOT NULL,
    id                   TEXT    NOT NULL,
    addressee            TEXT    NOT NULL,
    project_id           TEXT    NOT NULL,
    task_type            TEXT    NOT NULL,
    status               TEXT    NOT NULL DEFAULT 'pending',
    prompt               TEXT    NOT NULL,
    repo_url             TEXT    NOT NULL,
    branch               TEXT    NOT NULL,
    triggered_by_task_id TEXT    NOT NULL,
    created_by           TEXT    NOT NULL,
    created_at           INTEGER NOT NULL,
    started_at           INTEGER,
    completed_at         INTEGER,
    result               BLOB, -- JSON
    worker_pod           TEXT    NOT NULL,
    PRIMARY KEY (run_id, id)
) STRICT;

CREATE INDEX idx_tasks_project ON tasks(project_id);
CREATE INDEX idx_tasks_pending ON tasks(addressee, status) WHERE status = 'pending';
CREATE INDEX idx_tasks_running ON tasks(addressee) WHERE status = 'running';
CREATE INDEX idx_tasks_project_status ON tasks(project_id, status);

-- What checks said before. May be emptied at any time.
CREATE TABLE verdicts (
    key     TEXT    NOT NULL PRIMARY KEY,
    verdict BLOB    NOT NULL,
    at      INTEGER NOT NULL
) STRICT;
