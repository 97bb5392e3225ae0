-- +goose Up

-- What was said in the conversations of projects, whole. kind: goal, message,
-- question, answer. question_id is that of a question and of its answer.
CREATE TABLE messages (
    run_id       TEXT    NOT NULL,
    seq          INTEGER NOT NULL, -- of the event
    event        TEXT    NOT NULL,
    project_id   TEXT    NOT NULL,
    kind         TEXT    NOT NULL,
    voice        TEXT    NOT NULL,
    who          TEXT    NOT NULL,
    text         TEXT    NOT NULL,
    question_id  TEXT    NOT NULL,
    default_text TEXT    NOT NULL,
    due_at       INTEGER,
    at           INTEGER NOT NULL,
    PRIMARY KEY (run_id, seq)
) STRICT;

CREATE INDEX idx_messages_project ON messages(project_id, at, run_id, seq);
CREATE INDEX idx_messages_event ON messages(event);
CREATE INDEX idx_messages_question ON messages(question_id) WHERE question_id <> '';
CREATE INDEX idx_messages_asked ON messages(at) WHERE kind = 'question';
