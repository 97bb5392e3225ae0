-- +goose Up

-- What every engine must know and is no event. A version comes from the one row of
-- document_versions, so that it never comes back.
CREATE TABLE documents (
    kind    TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    version INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    data    BLOB    NOT NULL,
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE document_versions (
    last INTEGER NOT NULL
) STRICT;

INSERT INTO document_versions (last) VALUES (0);
