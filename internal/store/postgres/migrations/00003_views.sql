-- +goose Up
SET LOCAL lock_timeout = '5s';
SET LOCAL idle_in_transaction_session_timeout = '10s';

-- as_text is NULL for bytes that are no text: one such row does not fail a query of all.
-- +goose StatementBegin
CREATE FUNCTION as_text(b bytea) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
    RETURN convert_from(b, 'UTF8');
EXCEPTION WHEN character_not_in_repertoire OR untranslatable_character THEN
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- What dashboards and psql may rely on: columns are added to these views, never renamed or removed.
CREATE VIEW v_projects AS SELECT id, name, repo_url, default_branch, nullif(integration_branch, '') AS integration_branch, status, nullif(current_epic, '') AS current_epic,
    last_activity, created_at, created_by, total_tasks, completed_tasks, failed_tasks, total_cost_usd, nullif(pr_url, '') AS pr_url, nullif(pr_number, 0) AS pr_number,
    nullif(paused, '') AS paused, archived_at, queued AS queued_epics FROM projects;
CREATE VIEW v_tasks AS SELECT id, run_id, task, addressee, project_id, task_type, status, prompt, repo_url, nullif(branch, '') AS branch, triggered_by_task_id,
    created_by, created_at, started_at, completed_at, completed_at - started_at AS duration, result, nullif(worker_pod, '') AS worker_pod FROM tasks;
CREATE VIEW v_runs AS SELECT id, alias, project_id, title, status, nullif(reason, '') AS reason, stage, branch, nullif(url, '') AS url, attempts, cost_usd, tokens, started_at, updated_at, ended_at FROM runs;
CREATE VIEW v_owners AS SELECT o.project, o.engine, e.host, e.place, o.fence, o.held, e.lease_until, o.held AND e.lease_until > clock_timestamp() AS alive
    FROM owners o LEFT JOIN engines e ON e.id = o.engine;
CREATE VIEW v_slots AS SELECT s.holder, s.project, s.stream, s.held, s.since, p.pool, p.capacity FROM slots s JOIN slot_pools p ON p.holder = s.holder;
CREATE VIEW v_events AS SELECT position, stream, seq, type, at, actor, as_text(body) AS body FROM events;
-- Readers are who may read this one. A migration that adds a view ends with SELECT share_views().
CREATE VIEW v_schema AS SELECT max(version_id) AS version FROM goose_db_version WHERE is_applied;

-- share_with lets somebody read every view. The name is quoted already.
-- +goose StatementBegin
CREATE FUNCTION share_with(reader text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE v name; shared text[] := '{}';
BEGIN
    FOR v IN SELECT viewname FROM pg_views WHERE schemaname = current_schema() AND viewname LIKE 'v\_%' ORDER BY 1 LOOP
        EXECUTE format('GRANT SELECT ON %I TO %s', v, reader);
        shared := shared || v::text;
    END LOOP;
    RETURN shared;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION share_views() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM share_with(CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END)
    FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = 'v_schema'::regclass AND a.privilege_type = 'SELECT' AND a.grantee <> c.relowner;
END $$;
-- +goose StatementEnd

-- beyond_views says what a role may do with the store besides reading views, as words after its name; NULL for nothing.
-- +goose StatementBegin
CREATE FUNCTION beyond_views(reader text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE here text := current_schema(); name text;
BEGIN
    IF pg_has_role(reader, (SELECT relowner FROM pg_class WHERE oid = 'events'::regclass), 'MEMBER') THEN
        RETURN 'owns the tables, or is a member of a role that does';
    END IF;
    SELECT c.relname INTO name FROM pg_class c WHERE c.relnamespace = here::regnamespace AND CASE c.relkind
        WHEN 'S' THEN has_sequence_privilege(reader, c.oid, 'SELECT, UPDATE, USAGE')
        WHEN 'v' THEN has_table_privilege(reader, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER') OR has_any_column_privilege(reader, c.oid, 'INSERT, UPDATE')
        WHEN 'r' THEN has_table_privilege(reader, c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
            OR has_any_column_privilege(reader, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES') END ORDER BY 1 LIMIT 1;
    IF FOUND THEN
        RETURN format('has rights to %s, by itself or as a member of another role', name);
    END IF;
    IF has_schema_privilege(reader, here, 'CREATE') THEN
        RETURN format('may create tables and functions in the schema %s', here);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- admit_reader lets a role read the views there are, and those that later migrations add. It refuses one that would be able to do more.
-- +goose StatementBegin
CREATE FUNCTION admit_reader(reader text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE shared text[]; more text;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = reader) THEN
        RAISE EXCEPTION USING ERRCODE = 'SW011', MESSAGE = format('there is no role %s', reader),
            HINT = format('let somebody who may make roles run: createuser --pwprompt %s', quote_ident(reader));
    END IF;
    more := beyond_views(reader);
    IF more IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'SW011', MESSAGE = format('the role %s %s', reader, more),
            HINT = CASE WHEN more LIKE 'may create%' THEN format('take that away first: REVOKE CREATE ON SCHEMA %I FROM PUBLIC, %I', current_schema(), reader)
                ELSE 'use a role of its own for reading, or take those rights away first' END;
    END IF;
    IF NOT has_schema_privilege(reader, current_schema(), 'USAGE') THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), reader);
    END IF;
    IF NOT has_database_privilege(reader, current_database(), 'CONNECT') THEN
        EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), reader);
    END IF;
    IF NOT has_schema_privilege(reader, current_schema(), 'USAGE') OR NOT has_database_privilege(reader, current_database(), 'CONNECT') THEN
        RAISE EXCEPTION USING ERRCODE = 'SW011', MESSAGE = format('the role %s may not use the database or its schema, and the engines'' role cannot let it', reader),
            HINT = format('let the database''s owner run: GRANT CONNECT ON DATABASE %I TO %I; GRANT USAGE ON SCHEMA %I TO %I', current_database(), reader, current_schema(), reader);
    END IF;
    shared := share_with(quote_ident(reader));
    RETURN shared;
END $$;
-- +goose StatementEnd
