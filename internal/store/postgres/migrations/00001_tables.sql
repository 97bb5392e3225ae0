-- Ids have the order of their bytes. An absent text is ''.
-- +goose Up
SET LOCAL lock_timeout = '5s';
SET LOCAL idle_in_transaction_session_timeout = '10s';

-- One row. Whoever writes events, hints, claims, slots or owners locks it first, inside one statement, so writes follow one another
-- for all engines and the position of events is the order in which they became visible. A commit only locks it: each change would leave
-- a row behind that all later ones pass, for as long as somebody keeps a snapshot. closed is why nobody may write, '' if everybody may,
-- and other the store that the content comes from or goes to.
CREATE TABLE ledger (
    one    boolean PRIMARY KEY DEFAULT true CHECK (one),
    closed text    NOT NULL DEFAULT '',
    other  text    NOT NULL DEFAULT ''
);
INSERT INTO ledger DEFAULT VALUES;

CREATE TABLE events (
    stream    text COLLATE "C" NOT NULL,
    seq       bigint           NOT NULL,
    position  bigint           NOT NULL, -- without a gap, in the order of commits
    id        text COLLATE "C" NOT NULL,
    type      text             NOT NULL,
    v         integer          NOT NULL,
    at        timestamptz      NOT NULL,
    actor     text             NOT NULL, -- JSON
    cause     text             NOT NULL,
    prev_hash text             NOT NULL,
    hash      text             NOT NULL,
    body      bytea            NOT NULL, -- JSON, byte for byte as it was committed
    PRIMARY KEY (stream, seq)
);
CREATE UNIQUE INDEX idx_events_position ON events (position) INCLUDE (stream);

-- Where each stream stands: derived, so that judging a commit reads one small row.
CREATE TABLE heads (
    stream   text COLLATE "C" PRIMARY KEY,
    seq      bigint      NOT NULL,
    position bigint      NOT NULL,
    hash     text        NOT NULL,
    at       timestamptz NOT NULL
) WITH (fillfactor = 60);

CREATE TABLE snapshots (
    stream text COLLATE "C" PRIMARY KEY,
    seq    bigint NOT NULL, hash text NOT NULL, at timestamptz NOT NULL, format bigint NOT NULL, state bytea NOT NULL
);

CREATE TABLE wakes (
    stream   text COLLATE "C" PRIMARY KEY,
    project  text COLLATE "C" NOT NULL,
    wake_seq bigint      NOT NULL,
    done_seq bigint      NOT NULL,
    woken_at timestamptz NOT NULL,
    due_at   timestamptz,
    due_seq  bigint      NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
CREATE INDEX idx_wakes_pending ON wakes (woken_at) WHERE wake_seq > done_seq;
CREATE INDEX idx_wakes_due ON wakes (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE claims (
    kind text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, holder text COLLATE "C" NOT NULL, capacity integer NOT NULL,
    PRIMARY KEY (kind, key, holder)
);
CREATE TABLE waiters (
    kind text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, stream text COLLATE "C" NOT NULL,
    PRIMARY KEY (kind, key, stream)
);

CREATE TABLE slots (
    seq     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    holder  text COLLATE "C" NOT NULL UNIQUE,
    stream  text COLLATE "C" NOT NULL,
    project text COLLATE "C" NOT NULL,
    pool    text COLLATE "C" NOT NULL,
    since   timestamptz NOT NULL,
    held    boolean     NOT NULL,
    filed   text COLLATE "C" NOT NULL,
    room    integer     NOT NULL
);
CREATE INDEX idx_slots_filed ON slots (filed, room, project, pool, seq) WHERE NOT held;
CREATE INDEX idx_slots_stream ON slots (stream);
CREATE TABLE slot_pools (
    pool text COLLATE "C" NOT NULL, held boolean NOT NULL, project text COLLATE "C" NOT NULL, holder text COLLATE "C" NOT NULL,
    capacity integer NOT NULL,
    PRIMARY KEY (pool, held, project, holder)
);
CREATE INDEX idx_slot_pools_holder ON slot_pools (holder);

CREATE TABLE engines (
    id text COLLATE "C" PRIMARY KEY, host text NOT NULL, place text NOT NULL DEFAULT '', lease_until timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE owners (
    project text COLLATE "C" PRIMARY KEY, engine text COLLATE "C" NOT NULL, fence bigint NOT NULL, held boolean NOT NULL
);
CREATE INDEX idx_owners_engine ON owners (engine, project) WHERE held;

CREATE SEQUENCE document_versions; -- gaps are allowed, coming back is not
CREATE TABLE documents (
    kind text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, version bigint NOT NULL, at timestamptz NOT NULL, data bytea NOT NULL,
    PRIMARY KEY (kind, key)
);
CREATE TABLE verdicts (key text COLLATE "C" PRIMARY KEY, verdict bytea NOT NULL, at timestamptz NOT NULL);

-- Projections: no CHECK and no foreign key, because a projection never stands in the way of an event.
CREATE TABLE runs (
    id text COLLATE "C" PRIMARY KEY, alias text COLLATE "C" NOT NULL, project_id text COLLATE "C" NOT NULL,
    title text NOT NULL, goal text NOT NULL, issue text NOT NULL,
    status text COLLATE "C" NOT NULL DEFAULT 'active', reason text NOT NULL, stage text NOT NULL,
    branch text NOT NULL, base text NOT NULL, url text NOT NULL, isolation text NOT NULL,
    attempts bigint NOT NULL DEFAULT 0, cost_usd double precision NOT NULL DEFAULT 0, unpriced bigint NOT NULL DEFAULT 0,
    tokens bigint NOT NULL DEFAULT 0, held_usd double precision NOT NULL DEFAULT 0, held_tokens bigint NOT NULL DEFAULT 0,
    limited boolean NOT NULL DEFAULT true, worked bigint NOT NULL DEFAULT 0, -- microseconds
    started_at timestamptz NOT NULL, updated_at timestamptz NOT NULL, ended_at timestamptz
) WITH (fillfactor = 70);
CREATE INDEX idx_runs_alias ON runs (alias);
CREATE INDEX idx_runs_started ON runs (started_at, id);
CREATE INDEX idx_runs_project ON runs (project_id, started_at, id);
CREATE INDEX idx_runs_open ON runs (started_at, id) WHERE status NOT IN ('completed', 'failed', 'cancelled');
CREATE INDEX idx_runs_project_open ON runs (project_id, started_at) WHERE status NOT IN ('completed', 'failed', 'cancelled');
CREATE INDEX idx_runs_limited ON runs (project_id) WHERE status = 'active' AND limited;

-- status: active, paused, awaiting_review, completed, failed
CREATE TABLE projects (
    id                 text COLLATE "C" PRIMARY KEY,
    name               text COLLATE "C" NOT NULL,
    repo_url           text         NOT NULL,
    default_branch     text NOT NULL DEFAULT 'main',
    integration_branch text NOT NULL DEFAULT '',
    status             text COLLATE "C" NOT NULL DEFAULT 'active',
    current_epic       text         NOT NULL DEFAULT '',
    last_activity      timestamptz  NOT NULL DEFAULT now(),
    created_at         timestamptz  NOT NULL DEFAULT now(),
    created_by         text NOT NULL DEFAULT '',
    total_tasks        integer      NOT NULL DEFAULT 0,
    completed_tasks    integer      NOT NULL DEFAULT 0,
    failed_tasks       integer      NOT NULL DEFAULT 0,
    total_cost_usd     numeric(20,9) NOT NULL DEFAULT 0, -- billionths, because a small attempt costs less than a hundredth of a cent
    pr_url             text         NOT NULL DEFAULT '',
    pr_number          integer      NOT NULL DEFAULT 0,
    playbook text NOT NULL DEFAULT '', paused text NOT NULL DEFAULT '', archived_at timestamptz,
    queued integer NOT NULL DEFAULT 0, refused integer NOT NULL DEFAULT 0, unpriced bigint NOT NULL DEFAULT 0,
    run_status text NOT NULL DEFAULT 'active', run_reason text NOT NULL DEFAULT ''
) WITH (fillfactor = 70);
CREATE INDEX idx_projects_active ON projects (status, last_activity) WHERE status = 'active';
CREATE INDEX idx_projects_name ON projects (name);
CREATE INDEX idx_projects_activity ON projects (last_activity DESC, id);

-- status: pending, running, completed, failed. task is unique in its run; id is made from both, for whoever joins by uuid.
CREATE TABLE tasks (
    run_id               text COLLATE "C" NOT NULL,
    task                 text COLLATE "C" NOT NULL,
    id                   uuid GENERATED ALWAYS AS (md5(run_id || ' ' || task)::uuid) STORED,
    addressee            text COLLATE "C" NOT NULL,
    project_id           text COLLATE "C" NOT NULL,
    task_type            text  NOT NULL,
    status               text COLLATE "C" NOT NULL DEFAULT 'pending',
    prompt               text         NOT NULL,
    repo_url             text         NOT NULL,
    branch               text NOT NULL,
    triggered_by         text COLLATE "C" NOT NULL DEFAULT '', -- task of the same run, as the engine says it
    triggered_by_task_id uuid GENERATED ALWAYS AS (CASE WHEN triggered_by = '' THEN NULL ELSE md5(run_id || ' ' || triggered_by)::uuid END) STORED,
    created_by           text NOT NULL,
    created_at           timestamptz  NOT NULL DEFAULT now(),
    started_at           timestamptz,
    completed_at         timestamptz,
    result               json, -- not jsonb: kept byte for byte
    worker_pod           text NOT NULL,
    PRIMARY KEY (run_id, task)
);
CREATE UNIQUE INDEX idx_tasks_id ON tasks (id);
CREATE INDEX idx_tasks_project ON tasks (project_id);
CREATE INDEX idx_tasks_pending ON tasks (addressee, status) WHERE status = 'pending';
CREATE INDEX idx_tasks_running ON tasks (addressee) WHERE status = 'running';
CREATE INDEX idx_tasks_project_status ON tasks (project_id, status);

CREATE TABLE conversations (
    id text COLLATE "C" PRIMARY KEY, project_id text COLLATE "C" NOT NULL, name text NOT NULL, created_by text NOT NULL, created_at timestamptz NOT NULL
);
CREATE INDEX idx_conversations_project ON conversations (project_id, created_at, id);
CREATE TABLE messages (
    run_id text COLLATE "C" NOT NULL, seq bigint NOT NULL, event text COLLATE "C" NOT NULL, project_id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL, kind text NOT NULL, voice text NOT NULL, who text NOT NULL, text text NOT NULL,
    question_id text COLLATE "C" NOT NULL, default_text text NOT NULL, due_at timestamptz, at timestamptz NOT NULL,
    PRIMARY KEY (run_id, seq)
);
CREATE INDEX idx_messages_project ON messages (project_id, at, run_id, seq);
CREATE INDEX idx_messages_conversation ON messages (conversation_id, at, run_id, seq);
CREATE INDEX idx_messages_event ON messages (event);
CREATE INDEX idx_messages_question ON messages (question_id) WHERE question_id <> '';
CREATE INDEX idx_messages_asked ON messages (at) WHERE kind = 'question';

-- +goose StatementBegin
CREATE FUNCTION project_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE projects p SET
        total_tasks = t.n, completed_tasks = t.done, failed_tasks = t.failed,
        total_cost_usd = r.cost, unpriced = r.unpriced, last_activity = greatest(p.last_activity, r.updated)
    FROM (SELECT count(*) n, count(*) FILTER (WHERE status = 'completed') done, count(*) FILTER (WHERE status = 'failed') failed FROM tasks WHERE project_id = NEW.id) t,
         (SELECT coalesce(sum(cost_usd::numeric), 0) cost, coalesce(sum(runs.unpriced), 0) unpriced, max(updated_at) updated FROM runs WHERE project_id = NEW.id) r
    WHERE p.id = NEW.id;
    INSERT INTO conversations (id, project_id, name, created_by, created_at) VALUES (NEW.id, NEW.id, 'main', NEW.created_by, NEW.created_at) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER project_made AFTER INSERT ON projects FOR EACH ROW EXECUTE FUNCTION project_made();

-- +goose StatementBegin
CREATE FUNCTION project_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE projects SET
        total_tasks = total_tasks + (TG_OP = 'INSERT')::int,
        completed_tasks = completed_tasks + (NEW.status = 'completed')::int - (TG_OP = 'UPDATE' AND OLD.status = 'completed')::int,
        failed_tasks = failed_tasks + (NEW.status = 'failed')::int - (TG_OP = 'UPDATE' AND OLD.status = 'failed')::int
    WHERE id = NEW.project_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER project_task_made AFTER INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION project_task();
CREATE TRIGGER project_task_moved AFTER UPDATE ON tasks FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION project_task();

-- +goose StatementBegin
CREATE FUNCTION project_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE cost numeric := NEW.cost_usd; unpriced_ bigint := NEW.unpriced;
BEGIN
    IF TG_OP = 'UPDATE' THEN cost := cost - OLD.cost_usd::numeric; unpriced_ := unpriced_ - OLD.unpriced; END IF;
    UPDATE projects SET total_cost_usd = total_cost_usd + cost, unpriced = unpriced + unpriced_, last_activity = greatest(last_activity, NEW.updated_at)
    WHERE id = NEW.project_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER project_run_made AFTER INSERT ON runs FOR EACH ROW EXECUTE FUNCTION project_run();
CREATE TRIGGER project_run_moved AFTER UPDATE ON runs FOR EACH ROW
    WHEN (OLD.cost_usd <> NEW.cost_usd OR OLD.unpriced <> NEW.unpriced OR OLD.updated_at <> NEW.updated_at) EXECUTE FUNCTION project_run();
