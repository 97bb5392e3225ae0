-- +goose Up

-- The conversations of projects. Each project has one from the beginning, known by
-- the project's own id; people open others.
CREATE TABLE conversations (
    id         TEXT    NOT NULL PRIMARY KEY,
    project_id TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    created_by TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX idx_conversations_project ON conversations(project_id, created_at, id);

INSERT INTO conversations (id, project_id, name, created_by, created_at)
SELECT id, id, 'main', created_by, created_at FROM projects;

-- +goose StatementBegin
CREATE TRIGGER project_conversation AFTER INSERT ON projects BEGIN
    INSERT OR IGNORE INTO conversations (id, project_id, name, created_by, created_at)
    VALUES (NEW.id, NEW.id, 'main', NEW.created_by, NEW.created_at);
END;
-- +goose StatementEnd

ALTER TABLE messages ADD COLUMN conversation_id TEXT NOT NULL DEFAULT '';
UPDATE messages SET conversation_id = project_id;
CREATE INDEX idx_messages_conversation ON messages(conversation_id, at, run_id, seq);
