-- name: PutMessage :exec
INSERT INTO messages (run_id, seq, event, project_id, kind, voice, who, text, question_id, default_text, due_at, at, conversation_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: Messages :many
SELECT m.* FROM messages m
WHERE m.project_id = CAST(sqlc.arg(project_id) AS TEXT)
    AND (m.at, m.run_id, m.seq) > (CAST(sqlc.arg(at) AS INTEGER), CAST(sqlc.arg(run_id) AS TEXT), CAST(sqlc.arg(seq) AS INTEGER))
ORDER BY m.at, m.run_id, m.seq LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: LastMessages :many
SELECT m.* FROM messages m WHERE m.project_id = CAST(sqlc.arg(project_id) AS TEXT) ORDER BY m.at DESC, m.run_id DESC, m.seq DESC LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: MessageByEvent :one
SELECT * FROM messages WHERE event = ?;

-- name: ConversationMessages :many
SELECT m.* FROM messages m
WHERE m.conversation_id = CAST(sqlc.arg(conversation_id) AS TEXT) AND m.project_id = CAST(sqlc.arg(project_id) AS TEXT)
    AND (m.at, m.run_id, m.seq) > (CAST(sqlc.arg(at) AS INTEGER), CAST(sqlc.arg(run_id) AS TEXT), CAST(sqlc.arg(seq) AS INTEGER))
ORDER BY m.at, m.run_id, m.seq LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: LastConversationMessages :many
SELECT m.* FROM messages m WHERE m.conversation_id = CAST(sqlc.arg(conversation_id) AS TEXT) AND m.project_id = CAST(sqlc.arg(project_id) AS TEXT) ORDER BY m.at DESC, m.run_id DESC, m.seq DESC LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: PutConversation :exec
INSERT INTO conversations (id, project_id, name, created_by, created_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET name = excluded.name;

-- name: Conversations :many
SELECT c.id, c.project_id, c.name, c.created_by, c.created_at,
    (SELECT count(*) FROM messages m WHERE m.conversation_id = c.id) AS messages,
    CAST(coalesce((SELECT max(m.at) FROM messages m WHERE m.conversation_id = c.id), 0) AS INTEGER) AS last_at
FROM conversations c WHERE c.project_id = CAST(sqlc.arg(project_id) AS TEXT) ORDER BY c.created_at, c.id;

-- A question is open while its run is and no answer follows it there.

-- name: OpenQuestions :many
SELECT q.* FROM messages q JOIN runs r ON r.id = q.run_id
WHERE q.kind = 'question' AND r.status NOT IN ('completed', 'failed', 'cancelled') AND NOT EXISTS (
    SELECT 1 FROM messages a
    WHERE a.question_id = q.question_id AND a.run_id = q.run_id AND a.seq > q.seq AND a.kind = 'answer')
ORDER BY q.at, q.run_id, q.seq;

-- name: AboutQuestion :many
SELECT * FROM messages WHERE question_id <> '' AND question_id >= sqlc.arg(prefix) AND question_id < sqlc.arg(beyond)
ORDER BY at, run_id, seq;
