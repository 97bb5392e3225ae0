-- +goose Up

-- One row: why nobody may work on the database, '' if everybody may, and the store that its content comes from or goes to.
-- Programs of older schemas do not look here, so they may not use it.
CREATE TABLE closure (
    reason TEXT NOT NULL,
    other  TEXT NOT NULL
) STRICT;

INSERT INTO closure (reason, other) VALUES ('', '');
