-- name: PutSmall :exec
-- Keeps an object of one chunk: the one that is there becomes young if it is whole, and is replaced otherwise.
WITH kept AS (
    UPDATE objects o SET touched = clock_timestamp() WHERE o.place = '' AND o.digest = sqlc.arg(digest)
        AND EXISTS (SELECT 1 FROM object_chunks c WHERE c.upload = o.upload AND c.n = 0 AND c.data = sqlc.arg(data)::bytea) RETURNING 1),
chunk AS (
    INSERT INTO object_chunks (upload, n, data) SELECT sqlc.arg(upload)::text, 0, sqlc.arg(data)::bytea WHERE NOT EXISTS (SELECT 1 FROM kept))
INSERT INTO objects (place, digest, upload, size, touched)
SELECT '', sqlc.arg(digest), sqlc.arg(upload)::text, octet_length(sqlc.arg(data)::bytea), clock_timestamp() WHERE NOT EXISTS (SELECT 1 FROM kept)
ON CONFLICT (place, digest) DO UPDATE SET upload = excluded.upload, size = excluded.size, touched = excluded.touched;

-- name: AddChunk :exec
INSERT INTO object_chunks (upload, n, data) VALUES (sqlc.arg(upload), sqlc.arg(n), sqlc.arg(data));

-- name: Stored :one
SELECT count(*)::bigint AS chunks, coalesce(sum(octet_length(data)), 0)::bigint AS size FROM object_chunks WHERE upload = sqlc.arg(upload);

-- name: Chunk :one
SELECT data FROM object_chunks WHERE upload = sqlc.arg(upload) AND n = sqlc.arg(n);

-- name: RemoveChunks :exec
DELETE FROM object_chunks WHERE upload = sqlc.arg(upload);
