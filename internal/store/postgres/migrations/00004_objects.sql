-- +goose Up
SET LOCAL lock_timeout = '5s';
SET LOCAL idle_in_transaction_session_timeout = '10s';

-- Objects of every place that keeps their bytes: '' for object_chunks, otherwise the address of a bucket. A row says which upload
-- counts, and is written last.
CREATE TABLE objects (
    place   text COLLATE "C" NOT NULL,
    digest  text COLLATE "C" NOT NULL,
    upload  text COLLATE "C" NOT NULL, -- never written again
    size    bigint           NOT NULL,
    touched timestamptz      NOT NULL,
    PRIMARY KEY (place, digest)
);

-- Uploads that no object names: under way, broken off, replaced or discarded. Whoever names one deletes its row in the same statement,
-- which fails once swept is set: so bytes are removed only of uploads that nothing names and nothing can name any more.
CREATE TABLE object_uploads (
    upload text COLLATE "C" PRIMARY KEY,
    place  text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    size   bigint           NOT NULL,
    at     timestamptz      NOT NULL, -- when it began, or lost its name
    swept  timestamptz
);
CREATE INDEX idx_object_uploads_at ON object_uploads (place, at);

CREATE TABLE object_chunks (
    upload text COLLATE "C" NOT NULL,
    n      integer          NOT NULL,
    data   bytea            NOT NULL, -- 1 MiB each, but for the last
    PRIMARY KEY (upload, n)
);
ALTER TABLE object_chunks ALTER COLUMN data SET STORAGE EXTERNAL; -- packs are compressed already

-- +goose StatementBegin
CREATE FUNCTION object_unnamed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.upload <> NEW.upload THEN
        INSERT INTO object_uploads (upload, place, digest, size, at) VALUES (OLD.upload, OLD.place, OLD.digest, OLD.size, clock_timestamp());
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER object_unnamed AFTER DELETE OR UPDATE OF upload ON objects FOR EACH ROW EXECUTE FUNCTION object_unnamed();
