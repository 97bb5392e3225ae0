-- +goose Up
SET LOCAL lock_timeout = '5s';
SET LOCAL idle_in_transaction_session_timeout = '10s';

-- What an engine calls. It gets everything with the call: no lock outlasts a statement, and so none waits for a client.
--
-- Refusals have codes of their own: SW001 fenced, SW002 stale, SW003 forked, SW004 a run is open, SW005 budget spent, SW006 a claim
-- is held, SW007 slots are taken, SW008 the store is closed, SW009 an engine works on it, SW010 it is not empty.
--
-- Two releases share these functions. A later migration may have one do more for whoever asks for more; one that has to do
-- something else gets another name, and the old one is dropped a release later.

-- lock_ledger has writes follow one another, and refuses them if the store is closed. It returns the position of the newest event, which
-- it looks for once nobody else writes any.
-- +goose StatementBegin
CREATE FUNCTION lock_ledger() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE p bigint; c text;
BEGIN
    SELECT closed INTO c FROM ledger FOR UPDATE;
    IF c <> '' THEN
        RAISE EXCEPTION USING ERRCODE = 'SW008', MESSAGE = 'the store is closed';
    END IF;
    SELECT max(position) INTO p FROM events;
    RETURN coalesce(p, 0);
END $$;
-- +goose StatementEnd

-- refuse_closed is for tables that are also written without the ledger. It looks after the write, which set_closure waits for.
-- +goose StatementBegin
CREATE FUNCTION refuse_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT closed FROM ledger) <> '' AND coalesce(current_setting('stellwerk.importing', true), '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'SW008', MESSAGE = 'the store is closed';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER documents_closed AFTER INSERT OR UPDATE OR DELETE ON documents FOR EACH STATEMENT EXECUTE FUNCTION refuse_closed();
CREATE TRIGGER engines_closed AFTER INSERT OR UPDATE OR DELETE ON engines FOR EACH STATEMENT EXECUTE FUNCTION refuse_closed();

-- set_closure closes the store or opens it again, or says why not. holding are the tables that must be empty for it to be filled, but for
-- what the documents say of the schema.
-- +goose StatementBegin
CREATE FUNCTION set_closure(was text, was_other text, becomes text, becomes_other text, holding text[]) RETURNS jsonb LANGUAGE plpgsql SET lock_timeout = '5s' AS $$
DECLARE l ledger%ROWTYPE; e record; t text; filled boolean;
BEGIN
    SELECT * INTO l FROM ledger FOR UPDATE;
    LOCK TABLE documents, engines IN SHARE MODE;
    IF l.closed <> was OR l.other <> was_other THEN
        RETURN jsonb_build_object('code', 'SW002');
    END IF;
    IF was = '' THEN
        SELECT id, host, lease_until INTO e FROM engines WHERE lease_until > clock_timestamp() ORDER BY id LIMIT 1;
        IF FOUND THEN
            RETURN jsonb_build_object('code', 'SW009', 'engine', e.id, 'host', e.host, 'until', e.lease_until);
        END IF;
    END IF;
    IF becomes = 'filling' AND was <> becomes THEN
        FOREACH t IN ARRAY holding LOOP
            EXECUTE format('SELECT EXISTS (SELECT FROM %I%s)', t, CASE t WHEN 'documents' THEN ' WHERE kind <> ''schema''' ELSE '' END) INTO filled;
            IF filled THEN
                RETURN jsonb_build_object('code', 'SW010', 'table', t);
            END IF;
        END LOOP;
    END IF;
    UPDATE ledger SET closed = becomes, other = becomes_other;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION raise_hint(of_stream text, moment timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE wakes SET woken_at = CASE WHEN wake_seq > done_seq THEN woken_at ELSE moment END, wake_seq = wake_seq + 1 WHERE stream = of_stream;
END $$;
-- +goose StatementEnd

-- spent is what the runs of a project have used and hold in all, but for one of them. An active run has worked on since its row
-- was written. Money is in billionths, time in microseconds.
-- +goose StatementBegin
CREATE FUNCTION spent(of_project text, except_run text, moment timestamptz,
    OUT cost bigint, OUT tokens bigint, OUT attempts bigint, OUT working bigint, OUT unpriced bigint, OUT worked bigint, OUT held bigint, OUT held_tokens bigint)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT coalesce(sum(round(r.cost_usd::numeric * 1e9)), 0)::bigint, coalesce(sum(r.tokens), 0)::bigint, coalesce(sum(r.attempts), 0)::bigint,
        count(*) FILTER (WHERE r.status = 'active'), coalesce(sum(r.unpriced), 0)::bigint,
        coalesce(sum(r.worked + CASE WHEN r.status = 'active' THEN greatest(0, (extract(epoch FROM moment - r.updated_at) * 1e6)::bigint) ELSE 0 END), 0)::bigint,
        coalesce(sum(round(r.held_usd::numeric * 1e9)), 0)::bigint, coalesce(sum(r.held_tokens), 0)::bigint
    INTO cost, tokens, attempts, working, unpriced, worked, held, held_tokens
    FROM runs r WHERE r.project_id = of_project AND r.id <> except_run;
END $$;
-- +goose StatementEnd

-- following is the hash of the event after one, so that whoever asks again, not knowing what became of a commit, knows its own.
-- +goose StatementBegin
CREATE FUNCTION following(of_stream text, after bigint) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT hash FROM events WHERE stream = of_stream AND seq = after + 1;
$$;
-- +goose StatementEnd

-- judge says why a commit is refused before anything of it is written; NULL if it is not.
-- +goose StatementBegin
CREATE FUNCTION judge(c jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE h heads%ROWTYPE; f bigint; g record; a text; b jsonb; o record;
BEGIN
    IF (c->>'fence')::bigint <> 0 THEN
        SELECT fence INTO f FROM owners WHERE project = c->>'of' AND held;
        IF f IS DISTINCT FROM (c->>'fence')::bigint THEN
            RETURN jsonb_build_object('code', 'SW001', 'fence', coalesce(f, 0), 'hash', following(c->>'stream', (c->>'after')::bigint));
        END IF;
    END IF;
    SELECT * INTO h FROM heads WHERE stream = c->>'stream';
    IF coalesce(h.seq, 0) <> (c->>'after')::bigint THEN
        RETURN jsonb_build_object('code', 'SW002', 'stream', c->>'stream', 'seq', coalesce(h.seq, 0), 'hash', following(c->>'stream', (c->>'after')::bigint));
    END IF;
    IF c ? 'events' AND coalesce(h.hash, '') <> c->'events'->0->>'prev_hash' THEN
        RETURN jsonb_build_object('code', 'SW003');
    END IF;
    FOR g IN SELECT x.stream, x.seq, coalesce(k.seq, 0) AS stands FROM jsonb_to_recordset(c->'given') AS x(stream text, seq bigint) LEFT JOIN heads k ON k.stream = x.stream LOOP
        -- a commit that is given its own stream means it after its own events
        IF g.stands + (CASE WHEN g.stream = c->>'stream' AND c ? 'events' THEN jsonb_array_length(c->'events') ELSE 0 END) <> g.seq THEN
            RETURN jsonb_build_object('code', 'SW002', 'stream', g.stream, 'seq', g.stands);
        END IF;
    END LOOP;
    IF c ? 'idle' THEN
        SELECT alias INTO a FROM runs WHERE project_id = c->>'idle' AND status NOT IN ('completed', 'failed', 'cancelled') ORDER BY started_at DESC, id DESC LIMIT 1;
        IF FOUND THEN
            RETURN jsonb_build_object('code', 'SW004', 'alias', a);
        END IF;
    END IF;
    IF c ? 'budget' THEN
        b := c->'budget';
        SELECT * INTO o FROM spent(b->>'project', b->>'run', (b->>'at')::timestamptz);
        -- a limit that does not hold is absent, and a comparison with NULL refuses nothing
        IF o.cost > (b->>'cost')::bigint OR o.tokens > (b->>'tokens')::bigint OR o.worked > (b->>'worked')::bigint OR o.attempts > (b->>'attempts')::bigint
            OR o.cost + o.held > (b->>'drawn')::bigint OR o.tokens + o.held_tokens > (b->>'drawn_tokens')::bigint THEN
            RETURN jsonb_build_object('code', 'SW005', 'others', to_jsonb(o));
        END IF;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Slots. Whoever waits is filed under one of its pools that is full for it. Only a slot given back makes room, so only those filed
-- under its pools can be next.

-- slot_give hands a holder in the queue its slots and raises its hint, or files it under a pool that has no room.
-- +goose StatementBegin
CREATE FUNCTION slot_give(of_holder text, moment timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE f record; of_stream text;
BEGIN
    SELECT p.pool, p.capacity INTO f FROM slot_pools p
    WHERE p.holder = of_holder AND (SELECT count(*) FROM slot_pools u WHERE u.pool = p.pool AND u.held) >= p.capacity LIMIT 1;
    IF FOUND THEN
        UPDATE slots SET filed = f.pool, room = f.capacity WHERE holder = of_holder;
        RETURN false;
    END IF;
    UPDATE slot_pools SET held = true WHERE holder = of_holder;
    UPDATE slots SET held = true, filed = '', room = 0 WHERE holder = of_holder RETURNING stream INTO of_stream;
    PERFORM raise_hint(of_stream, moment);
    RETURN true;
END $$;
-- +goose StatementEnd

-- slot_hand_on gives the room in pools to those who wait for it, until nobody's pools all have some: first to the project that holds
-- the fewest of the holder's first pool, then to who has waited longest.
-- +goose StatementBegin
CREATE FUNCTION slot_hand_on(pools text[], moment timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE next_holder text; told boolean := false;
BEGIN
    IF pools IS NULL OR pools = '{}' THEN
        RETURN false;
    END IF;
    LOOP
        SELECT q.holder INTO next_holder FROM slots q
        WHERE NOT q.held AND q.filed = ANY (pools) AND q.room > (SELECT count(*) FROM slot_pools u WHERE u.pool = q.filed AND u.held)
        ORDER BY (SELECT count(*) FROM slot_pools s WHERE s.pool = q.pool AND s.project = q.project AND s.held), q.seq LIMIT 1;
        EXIT WHEN next_holder IS NULL;
        told := slot_give(next_holder, moment) OR told;
    END LOOP;
    RETURN told;
END $$;
-- +goose StatementEnd

-- slot_drop forgets a holder and returns the pools of which it had a slot.
-- +goose StatementBegin
CREATE FUNCTION slot_drop(of_holder text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE had text[];
BEGIN
    DELETE FROM slots WHERE holder = of_holder;
    WITH gone AS (DELETE FROM slot_pools WHERE holder = of_holder RETURNING pool, held)
    SELECT coalesce(array_agg(pool) FILTER (WHERE held), '{}') INTO had FROM gone;
    RETURN had;
END $$;
-- +goose StatementEnd

-- slot_at names the pools of a request for a place. A pool of a place has "at", and its key lacks the place's name.
-- +goose StatementBegin
CREATE FUNCTION slot_at(asked jsonb, place text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    FOR n IN 0 .. jsonb_array_length(asked->'pools') - 1 LOOP
        IF asked->'pools'->n ? 'at' THEN
            asked := jsonb_set(asked, ARRAY['pools', n::text, 'key'], to_jsonb((asked->'pools'->n->>'key') || place));
        END IF;
    END LOOP;
    RETURN asked;
END $$;
-- +goose StatementEnd

-- slot_enter finds the row of a holder, with its pools as they are now: has is 'held', 'queue' or 'none'. If it had slots of other
-- pools, it gives them up and has no row: those are to be handed on once the holder has its new ones, because it may keep one.
-- +goose StatementBegin
CREATE FUNCTION slot_enter(s jsonb, OUT has text, OUT given_up text[]) LANGUAGE plpgsql AS $$
DECLARE r slots%ROWTYPE;
BEGIN
    given_up := '{}';
    has := 'none';
    SELECT * INTO r FROM slots WHERE holder = s->>'holder';
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF r.pool <> s->'pools'->0->>'key' OR (SELECT array_agg(pool ORDER BY pool) FROM slot_pools WHERE holder = r.holder)
        IS DISTINCT FROM (SELECT array_agg(p->>'key' ORDER BY (p->>'key') COLLATE "C") FROM jsonb_array_elements(s->'pools') p) THEN
        given_up := slot_drop(r.holder);
        RETURN;
    END IF;
    UPDATE slot_pools q SET capacity = (p->>'limit')::integer FROM jsonb_array_elements(s->'pools') p WHERE q.holder = r.holder AND q.pool = p->>'key';
    has := CASE WHEN r.held THEN 'held' ELSE 'queue' END;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION slot_add(of_stream text, s jsonb, moment timestamptz, holds boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO slots (holder, stream, project, pool, since, held, filed, room)
    VALUES (s->>'holder', of_stream, s->>'project', s->'pools'->0->>'key', moment, holds, '', 0);
    INSERT INTO slot_pools (pool, held, project, holder, capacity)
    SELECT p->>'key', holds, s->>'project', s->>'holder', (p->>'limit')::integer FROM jsonb_array_elements(s->'pools') p;
END $$;
-- +goose StatementEnd

-- slot_take has all holders get their slots now, or says which cannot: SW007.
-- +goose StatementBegin
CREATE FUNCTION slot_take(of_stream text, asked jsonb, place text, moment timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE s jsonb; e record; f record; taken jsonb := '[]'; told boolean := false;
BEGIN
    FOR s IN SELECT slot_at(x, place) FROM jsonb_array_elements(asked) x LOOP
        SELECT * INTO e FROM slot_enter(s);
        CONTINUE WHEN e.has = 'held';
        SELECT p->>'key' AS pool, (p->>'limit')::integer AS capacity, (SELECT min(u.holder) FROM slot_pools u WHERE u.pool = p->>'key' AND u.held) AS by_whom INTO f
        FROM jsonb_array_elements(s->'pools') WITH ORDINALITY AS all_pools(p, n)
        WHERE (SELECT count(*) FROM slot_pools u WHERE u.pool = p->>'key' AND u.held) >= (p->>'limit')::integer ORDER BY n LIMIT 1;
        IF FOUND THEN
            taken := taken || jsonb_build_object('holder', s->>'holder', 'pool', f.pool, 'limit', f.capacity, 'by', coalesce(f.by_whom, ''));
            CONTINUE;
        END IF;
        IF e.has = 'none' THEN
            PERFORM slot_add(of_stream, s, moment, true);
        ELSE
            UPDATE slots SET held = true, filed = '', room = 0 WHERE holder = s->>'holder';
            UPDATE slot_pools SET held = true WHERE holder = s->>'holder';
        END IF;
        told := slot_hand_on(e.given_up, moment) OR told;
    END LOOP;
    IF taken <> '[]' THEN
        RAISE EXCEPTION USING ERRCODE = 'SW007', MESSAGE = 'slots are taken', DETAIL = taken::text;
    END IF;
    RETURN told;
END $$;
-- +goose StatementEnd

-- slot_queue puts holders into the queue, and hands those their slots who need not wait.
-- +goose StatementBegin
CREATE FUNCTION slot_queue(of_stream text, asked jsonb, place text, moment timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE s jsonb; e record; told boolean := false;
BEGIN
    FOR s IN SELECT slot_at(x, place) FROM jsonb_array_elements(asked) x LOOP
        SELECT * INTO e FROM slot_enter(s);
        CONTINUE WHEN e.has = 'held';
        IF e.has = 'none' THEN
            PERFORM slot_add(of_stream, s, moment, false);
        END IF;
        told := slot_give(s->>'holder', moment) OR told;
        told := slot_hand_on(e.given_up, moment) OR told;
    END LOOP;
    RETURN told;
END $$;
-- +goose StatementEnd

-- write_rows writes the events of commits that were judged, and their projections. No two are of one stream. bases says after how many of
-- bodies those of a commit begin, firsts after which position its events. Rows come with the names of their columns. It reports whether
-- somebody is to be signalled.
--
-- The INSERTs name only columns that every engine gives: for any other, an older engine would give NULL. A migration that adds a column
-- replaces this function by one that ends with a statement of its own for that column, and for rows that give it,
--     UPDATE runs r SET x = (j.c->'run'->>'x')::… FROM unnest(judged) AS j(c) WHERE r.id = j.c->'run'->>'id' AND j.c->'run' ? 'x'
-- so that a new row of an older engine has the column's default, and its later writes leave alone what a newer one gave. Likewise, what
-- progress and standing lack leaves a column as it is. Once the floor is that migration, the column moves up into the INSERT.
-- +goose StatementBegin
CREATE FUNCTION write_rows(judged jsonb[], bases integer[], firsts bigint[], bodies bytea[], moment timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE has record; c jsonb; p jsonb; told boolean := false;
BEGIN
    SELECT bool_or(j ? 'run') AS runs, bool_or(j ? 'project') AS projects, bool_or(j ? 'tasks') AS tasks, bool_or(j ? 'messages') AS messages,
        bool_or(j ? 'conversations') AS conversations, bool_or(j ? 'progress' OR j ? 'standing') AS standing, bool_or(j ? 'snapshot') AS snapshots,
        bool_or(j ? 'spends') AS spends
    INTO has FROM unnest(judged) j;
    INSERT INTO events (stream, seq, position, id, type, v, at, actor, cause, prev_hash, hash, body)
    SELECT j.c->>'stream', e.seq, j.first + e.seq - (j.c->>'after')::bigint, e.id, e.type, e.v, e.at, e.actor, e.cause, e.prev_hash, e.hash, bodies[j.base + e.body]
    FROM unnest(judged, bases, firsts) AS j(c, base, first), jsonb_to_recordset(j.c->'events') AS e(seq bigint, id text, type text, v integer,
        at timestamptz, actor text, cause text, prev_hash text, hash text, body integer);
    INSERT INTO heads (stream, seq, position, hash, at)
    SELECT j.c->>'stream', (j.c->'events'->-1->>'seq')::bigint, j.first + jsonb_array_length(j.c->'events'), j.c->'events'->-1->>'hash', (j.c->'events'->-1->>'at')::timestamptz
    FROM unnest(judged, firsts) AS j(c, first) WHERE j.c ? 'events'
    ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, position = excluded.position, hash = excluded.hash, at = excluded.at;
    IF has.runs THEN
        INSERT INTO runs (id, alias, project_id, title, goal, issue, status, reason, stage, branch, base, url, isolation, attempts, cost_usd, unpriced, tokens,
            held_usd, held_tokens, limited, worked, started_at, updated_at, ended_at)
        SELECT r.id, r.alias, r.project_id, r.title, r.goal, r.issue, r.status, r.reason, r.stage, r.branch, r.base, r.url, r.isolation, r.attempts, r.cost_usd, r.unpriced, r.tokens,
            r.held_usd, r.held_tokens, r.limited, r.worked, r.started_at, r.updated_at, r.ended_at
        FROM unnest(judged) AS j(c), jsonb_populate_record(NULL::runs, j.c->'run') r WHERE j.c ? 'run'
        ON CONFLICT (id) DO UPDATE SET alias = excluded.alias, project_id = excluded.project_id, title = excluded.title, goal = excluded.goal, issue = excluded.issue,
            status = excluded.status, reason = excluded.reason, stage = excluded.stage, branch = excluded.branch, base = excluded.base, url = excluded.url,
            isolation = excluded.isolation, attempts = excluded.attempts, cost_usd = excluded.cost_usd, unpriced = excluded.unpriced, tokens = excluded.tokens,
            held_usd = excluded.held_usd, held_tokens = excluded.held_tokens, limited = excluded.limited, worked = excluded.worked,
            started_at = excluded.started_at, updated_at = excluded.updated_at, ended_at = excluded.ended_at;
    END IF;
    IF has.projects THEN
        INSERT INTO projects (id, name, repo_url, default_branch, integration_branch, status, current_epic, last_activity, created_at, created_by,
            pr_url, pr_number, playbook, paused, archived_at, queued, refused, run_status, run_reason)
        SELECT r.id, r.name, r.repo_url, r.default_branch, r.integration_branch, r.status, r.current_epic, r.last_activity, r.created_at, r.created_by,
            r.pr_url, r.pr_number, r.playbook, r.paused, r.archived_at, r.queued, r.refused, r.run_status, r.run_reason
        FROM unnest(judged) AS j(c), jsonb_populate_record(NULL::projects, j.c->'project') r WHERE j.c ? 'project'
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, repo_url = excluded.repo_url, default_branch = excluded.default_branch,
            integration_branch = excluded.integration_branch, status = excluded.status, current_epic = excluded.current_epic,
            last_activity = greatest(projects.last_activity, excluded.last_activity), created_at = excluded.created_at, created_by = excluded.created_by,
            pr_url = excluded.pr_url, pr_number = excluded.pr_number, playbook = excluded.playbook, paused = excluded.paused, archived_at = excluded.archived_at,
            queued = excluded.queued, refused = excluded.refused, run_status = excluded.run_status, run_reason = excluded.run_reason;
    END IF;
    IF has.tasks THEN
        INSERT INTO tasks (run_id, task, addressee, project_id, task_type, status, prompt, repo_url, branch, triggered_by, created_by, created_at, started_at, completed_at, result, worker_pod)
        SELECT t.run_id, t.task, t.addressee, t.project_id, t.task_type, t.status, t.prompt, t.repo_url, t.branch, t.triggered_by, t.created_by, t.created_at, t.started_at, t.completed_at,
            convert_from(bodies[j.base + t.result], 'UTF8')::json, t.worker_pod
        FROM unnest(judged, bases) AS j(c, base), jsonb_to_recordset(j.c->'tasks') AS t(run_id text, task text, addressee text, project_id text, task_type text, status text,
            prompt text, repo_url text, branch text, triggered_by text, created_by text, created_at timestamptz, started_at timestamptz, completed_at timestamptz,
            result integer, worker_pod text)
        ON CONFLICT (run_id, task) DO UPDATE SET addressee = excluded.addressee, project_id = excluded.project_id, task_type = excluded.task_type, status = excluded.status,
            prompt = excluded.prompt, repo_url = excluded.repo_url, branch = excluded.branch, triggered_by = excluded.triggered_by, created_by = excluded.created_by,
            created_at = excluded.created_at, started_at = excluded.started_at, completed_at = excluded.completed_at, result = excluded.result, worker_pod = excluded.worker_pod;
    END IF;
    IF has.messages THEN
        INSERT INTO messages (run_id, seq, event, project_id, conversation_id, kind, voice, who, text, question_id, default_text, due_at, at)
        SELECT m.run_id, m.seq, m.event, m.project_id, m.conversation_id, m.kind, m.voice, m.who, m.text, m.question_id, m.default_text, m.due_at, m.at
        FROM unnest(judged) AS j(c), jsonb_populate_recordset(NULL::messages, j.c->'messages') m;
    END IF;
    IF has.conversations THEN
        INSERT INTO conversations (id, project_id, name, created_by, created_at)
        SELECT d.id, d.project_id, d.name, d.created_by, d.created_at
        FROM unnest(judged) AS j(c), jsonb_populate_recordset(NULL::conversations, j.c->'conversations') d
        ON CONFLICT (id) DO UPDATE SET name = excluded.name;
    END IF;
    IF has.standing THEN -- one after the other, for several may be of one project
        FOREACH c IN ARRAY judged LOOP
            p := c->'progress';
            IF p IS NOT NULL THEN
                UPDATE projects SET status = CASE WHEN paused <> '' THEN 'paused' ELSE p->>'status' END, run_status = p->>'status', run_reason = p->>'reason',
                    current_epic = p->>'epic', integration_branch = p->>'branch', last_activity = greatest(last_activity, (p->>'at')::timestamptz),
                    pr_url = p->>'pr_url', pr_number = (p->>'pr_number')::integer WHERE id = p->>'project';
            END IF;
            p := c->'standing';
            IF p IS NOT NULL THEN
                UPDATE projects SET name = p->>'name', playbook = p->>'playbook', paused = p->>'paused', archived_at = (p->>'archived_at')::timestamptz,
                    queued = (p->>'queued')::integer, refused = (p->>'refused')::integer, last_activity = greatest(last_activity, (p->>'at')::timestamptz),
                    status = CASE WHEN p->>'paused' <> '' THEN 'paused' ELSE run_status END WHERE id = p->>'project';
            END IF;
        END LOOP;
    END IF;
    IF has.snapshots THEN
        INSERT INTO snapshots (stream, seq, hash, at, format, state)
        SELECT j.c->>'stream', s.seq, s.hash, s.at, s.format, bodies[j.base + s.state]
        FROM unnest(judged, bases) AS j(c, base), jsonb_to_record(j.c->'snapshot') AS s(seq bigint, hash text, at timestamptz, format bigint, state integer) WHERE j.c ? 'snapshot'
        ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, at = excluded.at, format = excluded.format, state = excluded.state;
    END IF;
    IF has.spends THEN -- the other runs of the project look whether enough is left
        UPDATE wakes SET woken_at = CASE WHEN wake_seq > done_seq THEN woken_at ELSE moment END, wake_seq = wake_seq + 1
        WHERE stream IN (SELECT 'run/' || r.id FROM unnest(judged) AS j(c) JOIN runs r ON r.project_id = j.c->'run'->>'project_id' AND r.id <> j.c->'run'->>'id'
            WHERE j.c ? 'spends' AND r.status = 'active' AND r.limited);
        told := FOUND;
    END IF;
    RETURN told;
END $$;
-- +goose StatementEnd

-- settle does what a commit that was judged says of claims, slots and hints, and reports whether somebody is to be signalled. It raises
-- SW006 and SW007.
-- +goose StatementBegin
CREATE FUNCTION settle(c jsonb, moment timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE x record; who text; held_by bigint; told boolean := false; freed text[] := '{}'; place text := ''; there text;
BEGIN
    IF c ? 'release' THEN
        FOR x IN SELECT * FROM jsonb_to_recordset(c->'release') AS y(kind text, key text, holder text) LOOP
            DELETE FROM claims d WHERE d.kind = x.kind AND d.key = x.key AND d.holder = x.holder;
            CONTINUE WHEN NOT FOUND;
            FOR who IN DELETE FROM waiters w WHERE w.kind = x.kind AND w.key = x.key RETURNING w.stream LOOP
                PERFORM raise_hint(who, moment);
                told := true;
            END LOOP;
        END LOOP;
    END IF;
    IF c ? 'acquire' THEN
        FOR x IN SELECT * FROM jsonb_to_recordset(c->'acquire') AS y(kind text, key text, holder text, most integer) LOOP
            CONTINUE WHEN EXISTS (SELECT 1 FROM claims d WHERE d.kind = x.kind AND d.key = x.key AND d.holder = x.holder);
            SELECT count(*), min(d.holder) INTO held_by, who FROM claims d WHERE d.kind = x.kind AND d.key = x.key;
            IF held_by >= x.most THEN
                RAISE EXCEPTION USING ERRCODE = 'SW006', MESSAGE = 'a claim is held', DETAIL = jsonb_build_object('kind', x.kind, 'key', x.key, 'holder', who)::text;
            END IF;
            INSERT INTO claims (kind, key, holder, capacity) VALUES (x.kind, x.key, x.holder, x.most);
        END LOOP;
    END IF;
    IF c ? 'take' OR c ? 'queue' THEN
        place := coalesce(c->>'place', '');
        IF place <> '' AND (c->>'fence')::bigint = 0 THEN -- slots are taken where the project's owner is, which begins the attempts
            SELECT e.place INTO there FROM owners o JOIN engines e ON e.id = o.engine WHERE o.project = c->>'of' AND o.held AND e.lease_until > moment;
            IF there <> '' THEN
                place := there;
            END IF;
        END IF;
    END IF;
    IF c ? 'free' THEN
        FOR who IN SELECT jsonb_array_elements_text(c->'free') LOOP
            freed := freed || slot_drop(who);
        END LOOP;
        told := slot_hand_on(freed, moment) OR told;
    END IF;
    IF c ? 'take' THEN
        told := slot_take(c->>'stream', c->'take', place, moment) OR told;
    END IF;
    INSERT INTO wakes (stream, project, wake_seq, done_seq, woken_at, due_at, due_seq) VALUES (c->>'stream', c->>'of', (c ? 'events')::integer, 0, moment, (c->>'due')::timestamptz, 1)
    ON CONFLICT (stream) DO UPDATE SET project = excluded.project,
        woken_at = CASE WHEN wakes.wake_seq > wakes.done_seq THEN wakes.woken_at ELSE excluded.woken_at END,
        wake_seq = wakes.wake_seq + excluded.wake_seq, due_at = excluded.due_at, due_seq = wakes.due_seq + 1;
    told := told OR NOT c ? 'attended' AND (c ? 'events' OR c ? 'due');
    IF c ? 'queue' THEN -- the hint is there by now
        told := slot_queue(c->>'stream', c->'queue', place, moment) OR told;
    END IF;
    RETURN told;
END $$;
-- +goose StatementEnd

-- rest ends a look. It returns why not, and whether the hint is pending still.
-- +goose StatementBegin
CREATE FUNCTION rest_hint(c jsonb, moment timestamptz, OUT why jsonb, OUT pending boolean) LANGUAGE plpgsql AS $$
DECLARE f bigint;
BEGIN
    pending := false;
    SELECT fence INTO f FROM owners WHERE project = c->>'of' AND held;
    IF f IS DISTINCT FROM (c->>'fence')::bigint THEN
        why := jsonb_build_object('code', 'SW001', 'fence', coalesce(f, 0));
        RETURN;
    END IF;
    UPDATE wakes SET done_seq = greatest(done_seq, (c->>'seen')::bigint), woken_at = moment,
        due_at = CASE WHEN due_seq = (c->>'due_seq')::bigint THEN NULL ELSE due_at END
    WHERE stream = c->>'stream' RETURNING wake_seq > done_seq INTO pending;
    pending := coalesce(pending, false);
END $$;
-- +goose StatementEnd

-- hangs_on reports that a commit cannot be judged before others are written: one of its stream, or what else it looks at.
-- +goose StatementBegin
CREATE FUNCTION hangs_on(c jsonb, streams text[], projects text[]) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN c->>'stream' = ANY (streams) OR c ? 'idle' AND c->>'idle' = ANY (projects) OR c ? 'budget' AND c->'budget'->>'project' = ANY (projects)
        OR c ? 'given' AND EXISTS (SELECT FROM jsonb_array_elements(c->'given') g WHERE g->>'stream' = ANY (streams));
END $$;
-- +goose StatementEnd

-- commit_batch carries out writes one after the other, each whole or not at all, and answers each with null or why it was refused.
-- Events, task results and snapshots are numbered pieces of bodies, for each write after those before it: bases. A lazy batch does not
-- wait for the disk. What commits write is put off until one hangs on it, because many rows cost little more than one.
-- +goose StatementBegin
CREATE FUNCTION commit_batch(batch jsonb, bodies bytea[], bases integer[], lazy boolean, teller text) RETURNS jsonb LANGUAGE plpgsql
    SET lock_timeout = '5s' SET plan_cache_mode = 'force_generic_plan' AS $$
DECLARE
    c jsonb; n integer := 0; r record; why jsonb; results jsonb[] := '{}'; p bigint; moment timestamptz; told boolean := false; detail text; code text;
    judged jsonb[] := '{}'; beneath integer[] := '{}'; firsts bigint[] := '{}'; streams text[] := '{}'; projects text[] := '{}';
BEGIN
    p := lock_ledger();
    moment := clock_timestamp();
    IF lazy THEN
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
    FOR c IN SELECT jsonb_array_elements(batch) LOOP
        n := n + 1;
        why := NULL;
        CASE c->>'op'
        WHEN 'rest' THEN
            SELECT * INTO r FROM rest_hint(c, moment);
            why := r.why;
            told := told OR r.pending;
        WHEN 'await' THEN
            INSERT INTO waiters (kind, key, stream) VALUES (c->>'kind', c->>'key', c->>'stream') ON CONFLICT DO NOTHING;
        WHEN 'raise' THEN
            PERFORM raise_hint(c->>'stream', moment);
            told := true;
        ELSE
            IF hangs_on(c, streams, projects) THEN
                told := write_rows(judged, beneath, firsts, bodies, moment) OR told;
                judged := '{}'; beneath := '{}'; firsts := '{}'; streams := '{}'; projects := '{}';
            END IF;
            why := judge(c);
            IF why IS NULL AND (c ? 'take' OR c ? 'acquire') THEN
                BEGIN -- a savepoint, only where a refusal comes after something was written
                    told := settle(c, moment) OR told;
                EXCEPTION WHEN SQLSTATE 'SW006' OR SQLSTATE 'SW007' THEN
                    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, code = RETURNED_SQLSTATE;
                    why := jsonb_build_object('code', code, 'detail', detail::jsonb);
                END;
            ELSIF why IS NULL THEN
                told := settle(c, moment) OR told;
            END IF;
            IF why IS NULL THEN
                judged := judged || c; beneath := beneath || bases[n]; firsts := firsts || p;
                streams := streams || (c->>'stream'); projects := projects || (c->'run'->>'project_id');
                IF c ? 'events' THEN
                    p := p + jsonb_array_length(c->'events');
                END IF;
            END IF;
        END CASE;
        results := results || coalesce(why, 'null'::jsonb);
    END LOOP;
    IF cardinality(judged) > 0 THEN
        told := write_rows(judged, beneath, firsts, bodies, moment) OR told;
    END IF;
    IF told THEN
        PERFORM pg_notify('stellwerk', teller); -- who knows by the answer
    END IF;
    RETURN jsonb_build_object('now', moment, 'told', told, 'results', to_jsonb(results));
END $$;
-- +goose StatementEnd

-- alive refuses what an engine does that enlisted with a life, if it has begun another since. A life of 0 did not enlist here.
-- +goose StatementBegin
CREATE FUNCTION alive(me text, life bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF life <> 0 AND NOT EXISTS (SELECT 1 FROM documents WHERE kind = 'engine-life' AND key = me AND version = life) THEN
        RAISE EXCEPTION USING ERRCODE = 'SW001', MESSAGE = 'the engine has begun another life';
    END IF;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION enlist(me text, at_host text, at_place text, lease interval) RETURNS bigint LANGUAGE plpgsql SET lock_timeout = '5s' AS $$
DECLARE life bigint;
BEGIN
    PERFORM lock_ledger();
    life := nextval('document_versions');
    INSERT INTO documents (kind, key, version, at, data) VALUES ('engine-life', me, life, clock_timestamp(), '')
    ON CONFLICT (kind, key) DO UPDATE SET version = excluded.version, at = excluded.at;
    INSERT INTO engines (id, host, place, lease_until) VALUES (me, at_host, at_place, clock_timestamp() + lease)
    ON CONFLICT (id) DO UPDATE SET host = excluded.host, place = excluded.place, lease_until = excluded.lease_until;
    UPDATE owners SET fence = fence + 1 WHERE engine = me AND held;
    RETURN life;
END $$;
-- +goose StatementEnd

-- renew has a lease last from now, and takes no lock but that of the engine's own row, so that it never waits for writes. It is false
-- for an engine that is not known.
-- +goose StatementBegin
CREATE FUNCTION renew(me text, life bigint, lease interval) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM alive(me, life);
    UPDATE engines SET lease_until = clock_timestamp() + lease WHERE id = me;
    RETURN FOUND;
END $$;
-- +goose StatementEnd

-- take_projects makes an engine the owner of those projects that have no other. It is NULL for an engine that is not known.
-- +goose StatementBegin
CREATE FUNCTION take_projects(me text, life bigint, lease interval, wanted text[]) RETURNS jsonb LANGUAGE plpgsql SET lock_timeout = '5s' AS $$
DECLARE taken jsonb;
BEGIN
    PERFORM lock_ledger();
    IF NOT renew(me, life, lease) THEN
        RETURN NULL;
    END IF;
    WITH got AS (
        INSERT INTO owners AS o (project, engine, fence, held) SELECT DISTINCT w, me, 1, true FROM unnest(wanted) w
        ON CONFLICT (project) DO UPDATE SET engine = excluded.engine, fence = o.fence + 1, held = true
        WHERE NOT o.held OR o.engine = excluded.engine OR NOT EXISTS (SELECT 1 FROM engines e WHERE e.id = o.engine AND e.lease_until > clock_timestamp())
        RETURNING o.project, o.fence)
    SELECT coalesce(jsonb_agg(jsonb_build_object('project', g.project, 'fence', g.fence) ORDER BY array_position(wanted, g.project)), '[]') INTO taken FROM got g;
    RETURN taken;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION yield_projects(given_back text[], fences bigint[]) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '5s' AS $$
DECLARE moment timestamptz; gone text; told boolean := false;
BEGIN
    PERFORM lock_ledger();
    moment := clock_timestamp();
    FOR gone IN UPDATE owners o SET held = false FROM unnest(given_back, fences) AS y(project, fence)
        WHERE o.project = y.project AND o.fence = y.fence AND o.held RETURNING o.project LOOP
        PERFORM raise_hint('run/' || r.id, moment) FROM runs r WHERE r.project_id = gone AND r.status NOT IN ('completed', 'failed', 'cancelled');
        told := true;
    END LOOP;
    IF told THEN
        PERFORM pg_notify('stellwerk', '');
    END IF;
    RETURN told;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION leave(me text, life bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM alive(me, life);
    UPDATE engines SET lease_until = '-infinity' WHERE id = me;
    PERFORM pg_notify('stellwerk', '');
END $$;
-- +goose StatementEnd

-- put_documents puts all or none, in the order of their names so that two who put the same never wait for each other.
-- +goose StatementBegin
CREATE FUNCTION put_documents(kinds text[], keys text[], seen bigint[], contents bytea[]) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE d record; kept jsonb := '[]'; moment timestamptz := clock_timestamp(); versions bigint[]; done bigint;
BEGIN
    versions := ARRAY(SELECT nextval('document_versions') FROM generate_series(1, cardinality(kinds)));
    FOR d IN SELECT * FROM unnest(kinds, keys, seen, contents) WITH ORDINALITY AS x(kind, key, version, data, n) ORDER BY x.kind COLLATE "C", x.key COLLATE "C", x.n LOOP
        IF d.version = 0 THEN
            INSERT INTO documents (kind, key, version, at, data) VALUES (d.kind, d.key, versions[d.n], moment, d.data) ON CONFLICT DO NOTHING;
        ELSE
            UPDATE documents SET version = versions[d.n], at = moment, data = d.data WHERE kind = d.kind AND key = d.key AND version = d.version;
        END IF;
        GET DIAGNOSTICS done = ROW_COUNT;
        IF done = 0 THEN
            RAISE EXCEPTION USING ERRCODE = 'SW002', MESSAGE = format('%s %s is no longer version %s', d.kind, d.key, d.version);
        END IF;
        kept := kept || jsonb_build_object('n', d.n, 'version', versions[d.n], 'at', moment);
    END LOOP;
    RETURN kept;
END $$;
-- +goose StatementEnd
